import type { MigrationSource } from '../../engine/core/migrate/migration-set.ts';
import type { MigrateEnvironment } from '../../engine/run/migrate/environment.ts';
import { endExecution } from '../../engine/run/remote/end-execution.ts';
import { nextTask } from '../../engine/run/remote/next-task.ts';
import { runInline } from '../../engine/run/remote/run-inline.ts';
import { runUnit } from '../../engine/run/remote/run-unit.ts';
import type { RunnerTask } from '../../tables/model/runner/order.ts';

/** What the function does with a task, once it has an environment. */
export function answerTask(
  environment: MigrateEnvironment,
  sources: readonly MigrationSource[],
  task: RunnerTask,
  signal: AbortSignal = new AbortController().signal,
): Promise<unknown> {
  switch (task.task) {
    case 'next':
      return nextTask(environment, sources, task, signal);
    case 'inline':
      return runInline(environment, sources, task, signal);
    case 'unit':
      return runUnit(environment, sources, task, signal);
    case 'end':
      return endExecution(environment, sources, task);
  }
}
