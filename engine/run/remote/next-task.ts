import { TablewrightError } from '../../../tables/model/error.ts';
import type { StateRecord } from '../../../tables/model/ledger/migration-records.ts';
import type { NextAnswer, RunnerTask, TaskOf } from '../../../tables/model/runner/order.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { segmentsFor } from '../../core/remote/plan-pass.ts';
import { LedgerReader } from '../ledger/ledger-reader.ts';
import { releaseLock } from '../ledger/lock.ts';
import { isAskedToStop, underLease, type withLock } from '../ledger/session.ts';
import { Wanted } from '../migrate/elsewhere.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { refuseWhilePaused } from '../migrate/pause-runs.ts';
import { runMigrations } from '../migrate/run-migrations.ts';
import { runVerify } from '../migrate/run-verify.ts';
import { adoptLock, findLock, refuseOrder, remoteEnvironment } from './adopt-lock.ts';
import { lookUp } from './look-up.ts';

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
  try {
    refuseOrder(task, sources);
    const found = await findLock(environment, task.execution.Id);
    if (found.kind === 'ended') return answerOf(await statesOf(environment, found.token));
    if (found.kind === 'none') await refuseWhilePaused(new LedgerReader(environment));
    const stopping = found.kind === 'held' && (await isStopping(environment, found.lease.token));
    await goThrough(environment, sources, task, signal, { stopping, inline: false });
    // The time was up before the run came to its end, and nobody wants it to stop: it goes on from where it is.
    if (signal.aborted && !stopping) return { kind: 'wait', seconds: 1 };
    return await endLock(environment, task.execution.Id, stopping);
  } catch (error) {
    if (error instanceof Wanted) return error.answer;
    if (!(error instanceof TablewrightError)) throw error;
    await giveBack(environment, task.execution.Id);
    return failureOf(error);
  }
}

/** Goes through what was asked for, up to where something is to be done elsewhere. */
export async function goThrough(
  environment: MigrateEnvironment,
  sources: readonly MigrationSource[],
  task: RunnerTask,
  signal: AbortSignal,
  options: { readonly stopping: boolean; readonly inline: boolean },
): Promise<void> {
  const { command, request, workers } = task.order;
  const segments = segmentsFor(workers, environment.tuning.segments);
  const spread = { ...environment, tuning: { ...environment.tuning, segments } };
  const hold: typeof withLock = async (own, _doing, stop, work) => {
    const lease = await adoptLock(own, task);
    return underLease(own, lease, stop, (session) => work({ ...session, elsewhere: lookUp(task, options) }));
  };
  if (command === 'migrate') {
    const { to, phase, accept } = request;
    await runMigrations(spread, sources, { to, accept, ...(phase === undefined ? {} : { phase }) }, signal, hold);
    return;
  }
  if (command === 'verify') {
    await runVerify(spread, sources, request.id, signal, hold);
    return;
  }
  throw new TablewrightError('NOT_OFFERED', `${command} is not run by many workers`, {
    next: `Run 'tablewright ${command}' without --on: it goes on from what workers have done.`,
  });
}

/** Somebody wants the execution to end, or all runs to hold still. */
export async function isStopping(environment: MigrateEnvironment, token: number): Promise<boolean> {
  const reader = new LedgerReader(environment);
  return (await isAskedToStop(reader, token)) || (await reader.pause()) !== undefined;
}

async function endLock(environment: MigrateEnvironment, execution: string, stopped: boolean): Promise<NextAnswer> {
  const found = await findLock(environment, execution);
  // It was never taken, because there was nothing to do.
  if (found.kind === 'none') return { kind: 'done', outcome: 'done' };
  const token = found.kind === 'held' ? found.lease.token : found.token;
  const answer = answerOf(await statesOf(environment, token));
  if (found.kind === 'held') await releaseLock(environment, found.lease);
  return stopped && answer.kind === 'done' ? { kind: 'done', outcome: 'interrupted' } : answer;
}

export async function giveBack(environment: MigrateEnvironment, execution: string): Promise<void> {
  const found = await findLock(environment, execution).catch(() => undefined);
  // Not given back, it passes by itself.
  if (found?.kind === 'held') await releaseLock(environment, found.lease).catch(() => undefined);
}

/** What this execution has written last of each migration. */
async function statesOf(environment: MigrateEnvironment, token: number): Promise<readonly StateRecord[]> {
  return (await new LedgerReader(environment).states()).filter((record) => record.token === token);
}

function answerOf(states: readonly StateRecord[]): NextAnswer {
  const failed = states.find(({ state }) => state === 'failed');
  if (failed !== undefined) {
    const { code = 'MIGRATION_FAILED', message = `${failed.id} has failed` } = failed.error ?? {};
    return { kind: 'failed', error: code, cause: message };
  }
  const open = states.find(({ state }) => state === 'incomplete');
  if (open !== undefined) return { kind: 'failed', error: 'INCOMPLETE', cause: `${open.id} is incomplete` };
  const cut = states.some(({ state }) => state === 'interrupted' || state === 'running');
  return { kind: 'done', outcome: cut ? 'interrupted' : 'done' };
}

export function failureOf(error: TablewrightError): NextAnswer {
  return { kind: 'failed', error: error.code, cause: error.message };
}
