import type { TaskOf } from '../../../tables/model/runner/order.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';

/** Runs the step that `next` came to and that is no pass, as far as the time allows. */
export async function runInline(
  _environment: MigrateEnvironment,
  _sources: readonly MigrationSource[],
  _task: TaskOf<'inline'>,
  _signal: AbortSignal,
): Promise<void> {
  throw new TypeError('not written yet');
}
