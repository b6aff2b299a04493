import { TablewrightError } from '../../../tables/model/error.ts';
import { stateRecord } from '../../../tables/model/ledger/migration-records.ts';
import type { NextAnswer, TaskOf } from '../../../tables/model/runner/order.ts';
import { isoOfEpochMs } from '../../../tables/model/time.ts';
import { setMembers } from '../../core/ledger/ledger-write.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { messageIn, type ToldFailure, tellFailure } from '../../core/remote/told-failure.ts';
import { releaseLock } from '../ledger/lock.ts';
import { underLease } from '../ledger/session.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { findLock, isRedriven, redriven, remoteEnvironment } from './adopt-lock.ts';
import { statesOf } from './next-task.ts';
import { takeTurn } from './take-turn.ts';

/** The machine cannot go on: says why and gives the lock back. Its checkpoints stand; what it was at counts as interrupted. */
export async function endExecution(
  given: MigrateEnvironment,
  _sources: readonly MigrationSource[],
  task: TaskOf<'end'>,
): Promise<NextAnswer> {
  const told = causeOf(task);
  // Where that cannot be written, the lease passes by itself, as after a crash.
  await interrupt(remoteEnvironment(given, task), task.execution.Id, told).catch(() => undefined);
  return { kind: 'failed', ...told };
}

async function interrupt(environment: MigrateEnvironment, execution: string, told: ToldFailure): Promise<void> {
  const found = await findLock(environment, execution);
  if (found.kind !== 'held') return;
  const never = new AbortController().signal;
  const lease = await takeTurn(environment, found.lease, false, never);
  await underLease(environment, lease, never, async ({ ledger, history }) => {
    const at = isoOfEpochMs(environment.nowMs());
    for (const { id, state } of await statesOf(environment, lease.token)) {
      if (state !== 'running') continue;
      const members = { state: 'interrupted', updatedAt: at, finishedAt: at } as const;
      await ledger.commit([setMembers(stateRecord, { id }, members), history(id, 'interrupted', `${told.error}: ${told.cause}`)]);
    }
  });
  await releaseLock(environment, lease, { kind: 'failed', ...told });
}

/** Of a map that fails Step Functions tells no more than this, whatever its workers said. */
const mapFailed = 'States.ExceedToleratedFailureThreshold';

/** What Step Functions says of a failure: `Error`, and `Cause`, which is JSON where the function threw. */
function causeOf(task: TaskOf<'end'>): ToldFailure {
  if (isRedriven(task)) return tellFailure(redriven(task));
  const { Error: error, Cause: text } = (task.cause ?? {}) as { readonly Error?: unknown; readonly Cause?: unknown };
  if (error === mapFailed) return tellFailure(workerFailed(task));
  return {
    error: typeof error === 'string' ? error : 'States.TaskFailed',
    cause: typeof text === 'string' ? messageIn(text) : 'Step Functions did not say why',
  };
}

function workerFailed({ order, execution }: TaskOf<'end'>): TablewrightError {
  const what = `a worker of the execution ${execution.Name} was killed again and again, or has lost the lock`;
  return new TablewrightError('MIGRATION_FAILED', what, {
    next: `See its log (/aws/lambda/…-runner) and 'tablewright status'; 'tablewright ${order.command} --on aws' goes on from the last checkpoint.`,
  });
}
