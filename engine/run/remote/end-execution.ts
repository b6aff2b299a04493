import type { NextAnswer, TaskOf } from '../../../tables/model/runner/order.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { remoteEnvironment } from './adopt-lock.ts';
import { giveBack } from './next-task.ts';

/** The machine cannot go on: says why and gives the lock back. Its checkpoints stand; the migration counts as interrupted. */
export async function endExecution(
  given: MigrateEnvironment,
  _sources: readonly MigrationSource[],
  task: TaskOf<'end'>,
): Promise<NextAnswer> {
  await giveBack(remoteEnvironment(given, task), task.execution.Id);
  return { kind: 'failed', ...causeOf(task.cause) };
}

/** What Step Functions says of a failure: `Error`, and `Cause`, which is JSON where the function threw. */
function causeOf(cause: unknown): { readonly error: string; readonly cause: string } {
  const { Error: error, Cause: text } = (cause ?? {}) as { readonly Error?: unknown; readonly Cause?: unknown };
  return { error: typeof error === 'string' ? error : 'States.TaskFailed', cause: messageIn(text) };
}

function messageIn(text: unknown): string {
  if (typeof text !== 'string') return 'Step Functions did not say why';
  try {
    const { errorMessage } = JSON.parse(text) as { readonly errorMessage?: unknown };
    return typeof errorMessage === 'string' ? errorMessage : text;
  } catch {
    return text;
  }
}
