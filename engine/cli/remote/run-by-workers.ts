import { TablewrightError } from '../../../tables/model/error.ts';
import type { Order, RemoteCommand } from '../../../tables/model/runner/order.ts';
import { failureTold } from '../../core/remote/told-failure.ts';
import { LedgerReader } from '../../run/ledger/ledger-reader.ts';
import { readLease } from '../../run/ledger/lock.ts';
import { refuseWhilePaused } from '../../run/migrate/pause-runs.ts';
import { stopRuns } from '../../run/remote/stop-runs.ts';
import { type WatchEnd, watchExecution } from '../../run/remote/watch-execution.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import type { MigrationCommand } from '../migrate/open-migrations.ts';
import { openAwsRunner } from './aws-runner.ts';
import type { Runner, RunnerPlace } from './runner.ts';

/** What a command asks of workers. */
export interface WorkOrder {
  readonly on: RunnerPlace;
  readonly command: RemoteCommand;
  readonly request: Partial<Order['request']>;
  readonly workers: number | undefined;
  /** What costs something, or lasts: only once nothing keeps the execution from being started. */
  readonly prepare?: () => Promise<void>;
}

export type Ended = Extract<WatchEnd, { readonly kind: 'ended' }>;

/** Starts an execution of the runner and shows it. The exit code when nobody waited for its end. */
export async function runByWorkers(context: Context, command: MigrationCommand, wanted: WorkOrder): Promise<Ended | number> {
  const { environment, stack } = command;
  const reader = new LedgerReader(environment);
  await refuseWhilePaused(reader);
  await using runner = await (wanted.on === 'aws' ? openAwsRunner(context, stack) : openHere(context, stack));
  const workers = workersOf(runner, wanted.workers);
  const version = await versionOf(runner, context.signal);
  await refuseSecond(runner, context.signal);
  await wanted.prepare?.();
  const begun = new Set((await reader.states()).filter(({ state }) => state !== 'rolled-back').map(({ id }) => id));
  const input = JSON.stringify(orderOf(command, wanted, workers, version));
  // A name of its own: a start whose answer was lost and that is repeated is the same execution.
  const name = `${wanted.command}-${environment.nowMs()}-${Math.floor(environment.random() * 1e9)}`;
  const arn = await runner.executions.start(name, input, context.signal);
  return await follow(context, command, runner, { arn, name, resumed: (id) => begun.has(id) });
}

/** Loaded when it is asked for: it needs packages that other runs do not. */
async function openHere(context: Context, stack: MigrationCommand['stack']): Promise<Runner> {
  const { openLocalRunner } = await import('./local-runner.ts');
  return openLocalRunner(context, stack);
}

interface Followed {
  readonly arn: string;
  readonly name: string;
  readonly resumed: (migration: string) => boolean;
}

/** Shows an execution to its end. Ctrl-C leaves one on AWS running; one on this machine is stopped in order, and waited for. */
export async function follow(
  context: Context,
  { environment, sources, renderer }: MigrationCommand,
  { executions, endsWithCommand, place }: Runner,
  { arn, name, resumed }: Followed,
): Promise<Ended | number> {
  const watch = { environment, executions, arn, sources, resumed };
  const ended = new AbortController();
  const stopOwn = (): void => void stopWhenHeld(environment, arn, ended.signal);
  if (endsWithCommand) context.signal.addEventListener('abort', stopOwn, { once: true });
  const leave = endsWithCommand ? ended.signal : context.signal;
  const end = await watchExecution(watch, leave).finally(() => ended.abort());
  renderer.clear();
  if (end.kind === 'ended') return refuseOther(end, place);
  context.output.result({ outcome: 'left', execution: arn }, () =>
    [
      `The execution ${name} goes on without this terminal.`,
      "→ 'tablewright attach' shows it again, 'tablewright status' how far it is; 'tablewright stop' ends it at its checkpoints.",
    ].join('\n'),
  );
  return exitCodes.interrupted;
}

/** The function holds other migrations than this command, and has refused before it touched anything. */
function refuseOther(end: Ended, place: RunnerPlace): Ended {
  const { status, error, cause = '' } = end.execution;
  if (status !== 'failed' || error !== 'LEDGER_MISMATCH') return end;
  const otherwise = "Nothing was changed. Run 'tablewright bundle', deploy it with 'npx pulumi up', then start this again.";
  const { message, problems, next = otherwise } = failureTold({ error, cause }, otherwise);
  throw new TablewrightError('LEDGER_MISMATCH', `--on ${place}: ${message.split('\n')[0]}`, { problems, next });
}

/** Asks an execution to stop as soon as it has the lock: before, the lock may be somebody else's. */
async function stopWhenHeld(environment: MigrationCommand['environment'], arn: string, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    const lease = await readLease(environment).catch(() => undefined);
    const isAsked = lease?.holder === arn && (await stopRuns(environment).catch(() => undefined)) !== undefined;
    if (isAsked) return;
    await environment.sleep(stopPollMs, ended).catch(() => undefined);
  }
}

const stopPollMs = 500;

function workersOf({ limit, defaultWorkers, place }: Runner, wanted: number | undefined): number {
  if (wanted === undefined || limit === undefined || wanted <= limit.workers) return wanted ?? defaultWorkers;
  const whose = place === 'aws' ? 'the runner’s reserved concurrency is' : 'this machine runs at most';
  throw new TablewrightError('BAD_ARGUMENT', `--workers: ${whose} ${limit.workers}, found ${wanted}`, { next: limit.next });
}

function orderOf(
  { environment, sources }: MigrationCommand,
  { command, request }: WorkOrder,
  workers: number,
  version: string,
): Order {
  const { actor, budget } = environment;
  return {
    command,
    request: { accept: false, acceptGaps: false, includeExpired: environment.includeExpired ?? false, ...request },
    migrations: sources.map(({ migration, checksum }) => ({ id: migration.id, checksum })),
    version,
    workers,
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
    next: "Run 'tablewright attach' to watch it, or 'tablewright stop' to end it at its checkpoints.",
  });
}
