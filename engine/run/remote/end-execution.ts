import type { NextAnswer, TaskOf } from '../../../tables/model/runner/order.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';

/** The machine cannot go on: leaves the truth in the ledger and gives the lock back. */
export async function endExecution(
  _environment: MigrateEnvironment,
  _sources: readonly MigrationSource[],
  _task: TaskOf<'end'>,
): Promise<NextAnswer> {
  throw new TypeError('not written yet');
}
