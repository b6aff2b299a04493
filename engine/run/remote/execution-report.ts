import { TablewrightError } from '../../../tables/model/error.ts';
import type { Execution } from '../../core/remote/executions.ts';
import { failureTold } from '../../core/remote/told-failure.ts';
import { LedgerReader } from '../ledger/ledger-reader.ts';
import { maxShownLeftovers } from '../migrate/backfill/verify-segment.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import type { RollbackReport } from '../migrate/rollback/run-rollback.ts';
import type { RunReport } from '../migrate/run-migrations.ts';
import { type MigrationResult, maxShownDead, totalsOf } from '../migrate/state-writer.ts';
import type { RemoteMigration } from './read-progress.ts';
import type { WatchEnd } from './watch-execution.ts';

type Ended = Extract<WatchEnd, { readonly kind: 'ended' }>;

/** What an execution ended with, as `migrate` on this machine reports it. `planned`: what it was to run, in order. */
export async function runReportOf(environment: MigrateEnvironment, ended: Ended, planned: readonly string[]): Promise<RunReport> {
  const results = await resultsOf(environment, ended);
  const last = results.at(-1);
  const begun = new Set(results.map(({ id }) => id));
  const notRun = planned.filter((id) => !begun.has(id));
  if (last?.state === 'failed' || last?.state === 'incomplete') return { outcome: last.state, results, notRun };
  refuseFailure(ended.execution);
  return { outcome: isStopped(ended.execution) ? 'interrupted' : 'done', results, notRun };
}

/** The same for `verify`: those that it came to. */
export async function verifyReportOf(environment: MigrateEnvironment, ended: Ended): Promise<readonly MigrationResult[]> {
  const results = await resultsOf(environment, ended);
  if (results.every(({ state }) => state !== 'incomplete' && state !== 'failed')) refuseFailure(ended.execution);
  if (!isStopped(ended.execution)) return results;
  // Nothing was found out of the last: it stays what it was.
  return results.map((result, at) => (at === results.length - 1 ? { ...result, state: 'interrupted' } : result));
}

/** The same for `rollback`. */
export async function rollbackReportOf(environment: MigrateEnvironment, { execution, progress }: Ended): Promise<RollbackReport> {
  refuseFailure(execution);
  const reader = new LedgerReader(environment);
  const results = await Promise.all(
    progress.migrations.map(async ({ id, state, undone }) => ({
      id,
      outcome: state === 'rolled-back' ? ('rolled-back' as const) : ('interrupted' as const),
      ...(undone ?? totalsOf(await reader.allSegments(id), 'rollback')),
      keptKeys: [],
      missing: 0,
    })),
  );
  return { outcome: isStopped(execution) ? 'interrupted' : 'done', results };
}

async function resultsOf(environment: MigrateEnvironment, { progress }: Ended): Promise<readonly MigrationResult[]> {
  const reader = new LedgerReader(environment);
  return Promise.all(progress.migrations.map((one) => resultOf(reader, one)));
}

async function resultOf(reader: LedgerReader, migration: RemoteMigration): Promise<MigrationResult> {
  const { id, state, counts, units, dead, error } = migration;
  const letters = dead === 0 ? [] : (await reader.dead(id)).slice(0, maxShownDead);
  return {
    id,
    state,
    counts,
    units,
    dead,
    ...(state === 'incomplete' ? await leftoversOf(reader, id) : { leftovers: 0, leftoverKeys: [] }),
    deadLetters: letters.map(({ shownKey, reason }) => ({ key: shownKey, reason })),
    ...(error === undefined ? {} : { error: failureTold({ error: error.code, cause: error.message }, againAfter(id)) }),
  };
}

const againAfter = (migration: string): string =>
  `Correct it, then start it again; 'tablewright history ${migration}' shows what happened.`;

/** What the last verify pass found: its checkpoints have it. */
async function leftoversOf(reader: LedgerReader, id: string): Promise<Pick<MigrationResult, 'leftovers' | 'leftoverKeys'>> {
  const found = (await reader.allSegments(id)).filter(({ pass }) => pass === 'verify');
  const last = Math.max(0, ...found.map(({ generation }) => generation));
  const own = found.filter(({ generation }) => generation === last);
  return {
    leftovers: own.reduce((sum, { counts }) => sum + counts.changed, 0),
    leftoverKeys: own.flatMap(({ leftovers }) => leftovers).slice(0, maxShownLeftovers),
  };
}

interface Output {
  readonly next?: { readonly outcome?: unknown };
}

/** It ended in order, before all was done: `stop` or `pause`. */
export function isStopped({ output }: Execution): boolean {
  try {
    return (JSON.parse(output ?? '{}') as Output).next?.outcome === 'interrupted';
  } catch {
    return false;
  }
}

/** An execution that did not end in order. What failed in a migration is that migration's error, and told before. */
function refuseFailure({ status, name, error, cause }: Execution): void {
  if (status === 'succeeded' || status === 'running') return;
  const told = { error: error ?? '', cause: cause ?? `the execution ${name} failed` };
  if (status === 'failed') throw failureTold(told, "Run 'tablewright status' to see how the migrations stand.");
  const how = status === 'aborted' ? 'was ended from outside' : 'ran out of its time';
  throw new TablewrightError('CONFLICT', `the execution ${name} ${how}; its workers store their checkpoints and end`, {
    next: "Its lease passes by itself, 'tablewright status' shows when; then start it again, it goes on from its checkpoints.",
  });
}
