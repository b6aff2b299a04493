import type { MigrationSource } from '../../engine/core/migrate/migration-set.ts';
import { breakLock, inspectLock } from '../../engine/run/ledger/lock.ts';
import { type RepairReport, repairLedger } from '../../engine/run/ledger/repair-ledger.ts';
import type { MigrateEnvironment } from '../../engine/run/migrate/environment.ts';
import { pauseRuns, resumeRuns } from '../../engine/run/migrate/pause-runs.ts';
import { type RollbackReport, runRollback } from '../../engine/run/migrate/rollback/run-rollback.ts';
import { type RunReport, runMigrations } from '../../engine/run/migrate/run-migrations.ts';
import { type RetryReport, runRetry } from '../../engine/run/migrate/run-retry.ts';
import { runVerify } from '../../engine/run/migrate/run-verify.ts';
import type { MigrationResult } from '../../engine/run/migrate/state-writer.ts';
import { type StoppedRun, stopRuns } from '../../engine/run/remote/stop-runs.ts';
import { type ErrorCode, TablewrightError } from '../../tables/model/error.ts';
import type { Command } from './simulated-process.ts';

/** How a command ended, as the command line would say it. */
export type CommandEnd =
  | { readonly kind: 'done'; readonly report: unknown }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly error: TablewrightError }
  | { readonly kind: 'interrupted' }
  /** Nothing that a user or a server can cause. */
  | { readonly kind: 'broken'; readonly error: unknown };

export interface Reports {
  readonly migrate: RunReport;
  readonly verify: readonly MigrationResult[];
  readonly rollback: RollbackReport;
  readonly retry: RetryReport | undefined;
  readonly repair: RepairReport;
  readonly pause: undefined;
  readonly resume: boolean;
  readonly stop: StoppedRun | undefined;
  readonly unlock: boolean;
}

export interface CommandOptions {
  /** Take what contradicts the files as it is. */
  readonly accept?: boolean;
  /** Restore what a journal has where a part of it is missing. */
  readonly acceptGaps?: boolean;
}

type Run<C extends Command> = (
  environment: MigrateEnvironment,
  sources: readonly MigrationSource[],
  signal: AbortSignal,
  options: CommandOptions,
) => Promise<Reports[C]>;

/** Each command, as its action calls the engine. */
const runs: { readonly [C in Command]: Run<C> } = {
  migrate: (environment, sources, signal, { accept = false }) => runMigrations(environment, sources, { accept }, signal),
  verify: (environment, sources, signal) => runVerify(environment, sources, undefined, signal),
  rollback: (environment, sources, signal, { acceptGaps }) => runRollback(environment, sources, '0', signal, { acceptGaps }),
  retry: async (environment, sources, signal) => {
    let last: RetryReport | undefined;
    for (const source of sources) {
      last = await runRetry(environment, source, signal).catch((error: unknown) => {
        if (error instanceof TablewrightError && error.code === 'BAD_ARGUMENT') return last;
        throw error;
      });
    }
    return last;
  },
  repair: (environment, sources, signal) => repairLedger(environment, sources, signal),
  pause: async (environment) => {
    await pauseRuns(environment);
    return undefined;
  },
  resume: (environment) => resumeRuns(environment),
  stop: (environment) => stopRuns(environment),
  unlock: async (environment) => breakLock(environment, await inspectLock(environment), 'unlock --force'),
};

export async function runCommand(
  command: Command,
  environment: MigrateEnvironment,
  sources: readonly MigrationSource[],
  signal: AbortSignal,
  options: CommandOptions = {},
): Promise<CommandEnd> {
  try {
    return { kind: 'done', report: await runs[command](environment, sources, signal, options) };
  } catch (error) {
    if (error instanceof TablewrightError) return { kind: 'refused', code: error.code, error };
    if (signal.aborted) return { kind: 'interrupted' };
    return { kind: 'broken', error };
  }
}
