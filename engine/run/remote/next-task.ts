import type { NextAnswer, TaskOf } from '../../../tables/model/runner/order.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';

/** What the state machine is to do now. */
export async function nextTask(
  _environment: MigrateEnvironment,
  _sources: readonly MigrationSource[],
  _task: TaskOf<'next'>,
  _signal: AbortSignal,
): Promise<NextAnswer> {
  throw new TypeError('not written yet');
}
