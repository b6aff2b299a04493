import type { MigrationSource } from '../../engine/core/migrate/migration-set.ts';
import type { MigrateEnvironment } from '../../engine/run/migrate/environment.ts';
import { nextTask } from '../../engine/run/remote/next-task.ts';
import { runInline } from '../../engine/run/remote/run-inline.ts';
import { runUnit } from '../../engine/run/remote/run-unit.ts';
import type { NextAnswer, Order, TaskOf } from '../../tables/model/runner/order.ts';

/** How one execution is driven; what the state machine does, without one. */
export interface Drive {
  readonly sources: readonly MigrationSource[];
  readonly name: string;
  readonly order?: Partial<Order>;
  /** The environment of each invocation. */
  readonly environment: () => MigrateEnvironment;
  /** Of each invocation for a unit; as the others when left out. */
  readonly workers?: () => MigrateEnvironment;
  /** Called for each unit before it is invoked; more invocations beside the one whose answer counts. */
  readonly beside?: (task: TaskOf<'unit'>) => Promise<unknown> | undefined;
  /** Errors of a unit that the machine would invoke it again for. */
  readonly again?: (error: unknown) => boolean;
  readonly onAnswer?: (answer: NextAnswer) => Promise<void> | undefined;
}

const never = new AbortController().signal;

export function orderOf(sources: readonly MigrationSource[], order: Partial<Order> = {}): Order {
  return {
    command: 'migrate',
    request: { accept: false, acceptGaps: false, includeExpired: false },
    migrations: sources.map(({ migration, checksum }) => ({ id: migration.id, checksum })),
    version: '1',
    workers: 3,
    budget: { read: 0, write: 0 },
    who: 'tester',
    ...order,
  };
}

/** The end of an execution, and how many passes and steps it handed out. */
export async function driveExecution(drive: Drive) {
  const { sources, environment, workers = environment } = drive;
  const order = orderOf(sources, drive.order);
  const execution = { Id: `arn:aws:states:eu-west-1:1:execution:runner:${drive.name}`, Name: drive.name };
  const kinds: string[] = [];
  for (;;) {
    const answer = await nextTask(environment(), sources, { task: 'next', execution, order }, never);
    kinds.push(answer.kind);
    await drive.onAnswer?.(answer);
    if (answer.kind === 'done' || answer.kind === 'failed') return { answer, kinds, execution, order };
    if (answer.kind === 'inline') await runInline(environment(), sources, { task: 'inline', execution, order }, never);
    if (answer.kind === 'wait') await new Promise((resolve) => setTimeout(resolve, 20));
    if (answer.kind !== 'pass') continue;
    const waiting = [...answer.units];
    const worker = async (): Promise<void> => {
      for (let unit = waiting.shift(); unit !== undefined; unit = waiting.shift()) {
        const task: TaskOf<'unit'> = { task: 'unit', execution, order, pass: answer.pass, unit };
        const beside = drive.beside?.(task);
        for (let done = false; !done; ) {
          try {
            done = (await runUnit(workers(), sources, task, never)).done;
          } catch (error) {
            if (drive.again?.(error) !== true) throw error;
          }
        }
        await beside;
      }
    };
    await Promise.all(Array.from({ length: answer.workers }, worker));
  }
}
