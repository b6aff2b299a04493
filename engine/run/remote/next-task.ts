import { TablewrightError } from '../../../tables/model/error.ts';
import type { StateRecord } from '../../../tables/model/ledger/migration-records.ts';
import type { EndAnswer, NextAnswer, TaskOf } from '../../../tables/model/runner/order.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { tellFailure } from '../../core/remote/told-failure.ts';
import { LedgerReader } from '../ledger/ledger-reader.ts';
import { type Lease, releaseLock } from '../ledger/lock.ts';
import { isAskedToStop } from '../ledger/session.ts';
import { HandedOver } from '../migrate/elsewhere.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { refuseWhilePaused } from '../migrate/pause-runs.ts';
import { untilStopped } from '../store/until-stopped.ts';
import { findLock, refuseOrder, remoteEnvironment } from './adopt-lock.ts';
import { goThrough } from './go-through.ts';
import { silenceMs, takeTurn } from './take-turn.ts';

/**
 * What the state machine is to do now: the run as it is made locally, with passes that are looked up. Called twice, it answers the
 * same.
 */
export async function nextTask(
  given: MigrateEnvironment,
  sources: readonly MigrationSource[],
  task: TaskOf<'next'>,
  signal: AbortSignal,
): Promise<NextAnswer> {
  const environment = remoteEnvironment(given, task);
  let lease: Lease | undefined;
  const onLease = (taken: Lease): void => {
    lease = taken;
  };
  try {
    refuseOrder(task, sources);
    const found = await findLock(environment, task.execution.Id);
    if (found.kind === 'ended') return found.answer;
    if (found.kind === 'none') await refuseWhilePaused(new LedgerReader(environment));
    const stopping = found.kind === 'held' && (await isStopping(environment, found.lease.token));
    await untilStopped(goThrough(environment, sources, task, { stopping, inline: false, signal }, onLease), signal);
    // The time was up before the run came to its end, and nobody wants it to stop: it goes on from where it is.
    if (signal.aborted && !stopping) return { kind: 'wait', seconds: 1 };
    return await end(environment, task, lease, stopping);
  } catch (error) {
    if (error instanceof HandedOver) return error.answer;
    if (!(error instanceof TablewrightError)) throw error;
    return fail(environment, task, lease, error);
  }
}

/** Somebody wants the execution to end, or all runs to hold still. */
export async function isStopping(environment: MigrateEnvironment, token: number): Promise<boolean> {
  const reader = new LedgerReader(environment);
  return (await isAskedToStop(reader, token)) || (await reader.pause()) !== undefined;
}

async function end(
  environment: MigrateEnvironment,
  { execution }: TaskOf<'next'>,
  taken: Lease | undefined,
  stopped: boolean,
): Promise<NextAnswer> {
  const lease = taken ?? (await turnOf(environment, execution.Id));
  // It was never taken, because there was nothing to do.
  if (lease === undefined) return { kind: 'done', outcome: 'done' };
  const reached = answerOf(await statesOf(environment, lease.token));
  const answer: EndAnswer = stopped && reached.kind === 'done' ? { kind: 'done', outcome: 'interrupted' } : reached;
  await releaseLock(environment, lease, answer);
  return answer;
}

/** Nothing was to do any more, so nobody has asked for the lock, which the execution holds all the same. */
async function turnOf(environment: MigrateEnvironment, execution: string): Promise<Lease | undefined> {
  const found = await findLock(environment, execution);
  return found.kind === 'held' ? takeTurn(environment, found.lease, false, new AbortController().signal) : undefined;
}

async function fail(
  environment: MigrateEnvironment,
  { execution }: TaskOf<'next'>,
  lease: Lease | undefined,
  error: TablewrightError,
): Promise<NextAnswer> {
  if (error.code === 'LOCK_LOST' || error.code === 'CONFLICT') {
    // Another invocation speaks for the execution: what it does is seen when it is through.
    const found = await findLock(environment, execution.Id).catch(() => undefined);
    if (found?.kind === 'held') return { kind: 'wait', seconds: Math.ceil(silenceMs(environment) / 1_000) };
  }
  const answer: EndAnswer = { kind: 'failed', ...tellFailure(error) };
  // Not given back, it passes by itself.
  if (lease !== undefined) await releaseLock(environment, lease, answer).catch(() => undefined);
  return answer;
}

/** What this execution has written last of each migration. */
export async function statesOf(environment: MigrateEnvironment, token: number): Promise<readonly StateRecord[]> {
  return (await new LedgerReader(environment).states()).filter((record) => record.token === token);
}

function answerOf(states: readonly StateRecord[]): EndAnswer {
  const failed = states.find(({ state }) => state === 'failed');
  if (failed !== undefined) {
    const { code = 'MIGRATION_FAILED', message = `${failed.id} has failed` } = failed.error ?? {};
    return { kind: 'failed', error: code, cause: message };
  }
  const open = states.find(({ state }) => state === 'incomplete');
  if (open !== undefined) return { kind: 'failed', error: 'INCOMPLETE', cause: `${open.id} is incomplete` };
  const cut = states.some(({ state }) => state === 'interrupted' || state === 'running' || state === 'rolling-back');
  return { kind: 'done', outcome: cut ? 'interrupted' : 'done' };
}
