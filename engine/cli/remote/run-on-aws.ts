import { TablewrightError } from '../../../tables/model/error.ts';
import type { Order, RemoteCommand } from '../../../tables/model/runner/order.ts';
import { LedgerReader } from '../../run/ledger/ledger-reader.ts';
import { refuseWhilePaused } from '../../run/migrate/pause-runs.ts';
import { type WatchEnd, watchExecution } from '../../run/remote/watch-execution.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import type { MigrationCommand } from '../migrate/open-migrations.ts';
import { openRunner, type Runner } from './open-runner.ts';

/** A tenth of what an account runs at once unless more was asked for (Lambda Developer Guide, "Lambda quotas": 1,000). */
export const defaultWorkers = 100;

export interface Wanted {
  readonly command: RemoteCommand;
  readonly request: Partial<Order['request']>;
  readonly workers: number | undefined;
}

type Ended = Extract<WatchEnd, { readonly kind: 'ended' }>;

/** Starts an execution of the stack's runner and shows it. The exit code when nobody waited for its end. */
export async function runOnAws(context: Context, command: MigrationCommand, wanted: Wanted): Promise<Ended | number> {
  const { environment, sources, stack } = command;
  const reader = new LedgerReader(environment);
  await refuseWhilePaused(reader);
  using runner = await openRunner(context, stack);
  const version = await versionOf(runner, context.signal);
  await refuseSecond(runner, context.signal);
  const begun = new Set((await reader.states()).filter(({ state }) => state !== 'rolled-back').map(({ id }) => id));
  const { executions } = runner;
  const input = JSON.stringify(orderOf(command, wanted, version));
  // A name of its own: a start whose answer was lost and that is repeated is the same execution.
  const name = `${wanted.command}-${environment.nowMs()}-${Math.floor(environment.random() * 1e9)}`;
  const arn = await executions.start(name, input, context.signal);
  const resumed = (id: string): boolean => begun.has(id);
  const end = await watchExecution({ environment, executions, arn, sources, resumed }, context.signal);
  command.renderer.clear();
  if (end.kind === 'ended') return end;
  context.output.result({ outcome: 'left', execution: arn }, () =>
    [
      `The execution ${name} goes on without this terminal.`,
      "→ 'tablewright status' shows how far it is; 'tablewright pause' ends it at its checkpoints.",
    ].join('\n'),
  );
  return exitCodes.interrupted;
}

function orderOf({ environment, sources }: MigrationCommand, { command, request, workers }: Wanted, version: string): Order {
  const { actor, budget } = environment;
  return {
    command,
    request: { accept: false, acceptGaps: false, includeExpired: environment.includeExpired ?? false, ...request },
    migrations: sources.map(({ migration, checksum }) => ({ id: migration.id, checksum })),
    version,
    workers: workers ?? defaultWorkers,
    budget,
    who: actor.who,
    ...(actor.commit === undefined ? {} : { commit: actor.commit }),
  };
}

async function versionOf({ executions, machineName }: Runner, signal: AbortSignal): Promise<string> {
  const found = await executions.runner(signal);
  if (found?.version !== undefined) return found.version;
  const what = found === undefined ? 'is not there' : `calls ${found.functionArn}, which is no published version`;
  throw new TablewrightError('RUNNER_MISSING', `--on aws: the state machine ${machineName} ${what}`, {
    next: 'Deploy the runner (tablewright:runner in the stack’s file, docs/infrastructure.md), or leave --on out.',
  });
}

async function refuseSecond({ executions }: Runner, signal: AbortSignal): Promise<void> {
  const latest = await executions.latest(signal);
  if (latest?.status !== 'running') return;
  throw new TablewrightError('CONFLICT', `the execution ${latest.name} of this stack is running`, {
    next: "Wait for it; 'tablewright status' shows how far it is, 'tablewright pause' ends it at its checkpoints.",
  });
}
