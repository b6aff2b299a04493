import type { TaskOf } from '../../../tables/model/runner/order.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { Wanted } from '../migrate/elsewhere.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { refuseOrder, remoteEnvironment } from './adopt-lock.ts';
import { goThrough } from './next-task.ts';

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
  try {
    await goThrough(remoteEnvironment(given, task), sources, task, signal, { stopping: false, inline: true });
  } catch (error) {
    if (!(error instanceof Wanted)) throw error;
  }
}
