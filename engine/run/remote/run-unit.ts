import type { TaskOf, UnitAnswer } from '../../../tables/model/runner/order.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';

/** Works on a unit of a pass until it is done, or not to be gone on with, or the time is up. */
export async function runUnit(
  _environment: MigrateEnvironment,
  _sources: readonly MigrationSource[],
  _task: TaskOf<'unit'>,
  _signal: AbortSignal,
): Promise<UnitAnswer> {
  throw new TypeError('not written yet');
}
