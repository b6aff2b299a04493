import { TablewrightError } from '../../../tables/model/error.ts';
import type { TaskOf } from '../../../tables/model/runner/order.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { HandedOver } from '../migrate/elsewhere.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { untilStopped } from '../store/until-stopped.ts';
import { findLock, refuseOrder, remoteEnvironment } from './adopt-lock.ts';
import { goThrough } from './go-through.ts';

/**
 * Runs the step that `next` came to and that is no pass, and those behind it up to the next pass. What it does not get to in its time,
 * `next` asks for again; how it ended is in the ledger.
 */
export async function runInline(
  given: MigrateEnvironment,
  sources: readonly MigrationSource[],
  task: TaskOf<'inline'>,
  signal: AbortSignal,
): Promise<void> {
  refuseOrder(task, sources);
  const environment = remoteEnvironment(given, task);
  try {
    await untilStopped(goThrough(environment, sources, task, { stopping: false, inline: true, signal }), signal);
  } catch (error) {
    if (error instanceof HandedOver) return;
    // Another invocation speaks for the execution by now, and goes on with it.
    const isReplaced = error instanceof TablewrightError && (error.code === 'LOCK_LOST' || error.code === 'CONFLICT');
    if (!isReplaced || (await findLock(environment, task.execution.Id)).kind !== 'held') throw error;
  }
}
