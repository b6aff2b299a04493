import type { MigrationSource } from '../../engine/core/migrate/migration-set.ts';
import type { MigrateEnvironment } from '../../engine/run/migrate/environment.ts';
import type { NextAnswer, Order, RunnerTask, TaskOf, UnitAnswer } from '../../tables/model/runner/order.ts';
import { answerTask } from './answer-task.ts';

/** How one execution is driven; what the state machine does, without one. */
export interface Drive {
  readonly sources: readonly MigrationSource[];
  readonly name: string;
  readonly order?: Partial<Order>;
  /** The environment of each invocation. */
  readonly environment: () => MigrateEnvironment;
  /** Of each invocation for a unit; as the others when left out. */
  readonly workers?: () => MigrateEnvironment;
  /** Invokes the function; in this process when left out. */
  readonly invoke?: (task: RunnerTask) => Promise<unknown>;
  /** Called for each unit before it is invoked; more invocations beside the one whose answer counts. */
  readonly beside?: (task: TaskOf<'unit'>) => Promise<unknown> | undefined;
  /** Errors of an invocation that the machine would repeat it for. */
  readonly again?: (error: unknown) => boolean;
  readonly onAnswer?: (answer: NextAnswer) => Promise<void> | undefined;
}

/** A wait of the machine, which nobody has to sit through here. */
const waitMs = 20;

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

/** As the function does it, in this process. */
export function invokeHere({ sources, environment, workers = environment }: Pick<Drive, 'sources' | 'environment' | 'workers'>) {
  return (task: RunnerTask): Promise<unknown> => answerTask(task.task === 'unit' ? workers() : environment(), sources, task);
}

/** The end of an execution, and how many passes and steps it handed out. */
export async function driveExecution(drive: Drive) {
  const { sources, invoke = invokeHere(drive) } = drive;
  const order = orderOf(sources, drive.order);
  const execution = { Id: `arn:aws:states:eu-west-1:1:execution:runner:${drive.name}`, Name: drive.name };
  const repeating = async (task: RunnerTask): Promise<unknown> => {
    for (;;) {
      try {
        return await invoke(task);
      } catch (error) {
        if (drive.again?.(error) !== true) throw error;
      }
    }
  };
  const kinds: string[] = [];
  for (;;) {
    const answer = (await repeating({ task: 'next', execution, order })) as NextAnswer;
    kinds.push(answer.kind);
    await drive.onAnswer?.(answer);
    if (answer.kind === 'done' || answer.kind === 'failed') return { answer, kinds, execution, order };
    if (answer.kind === 'inline') await repeating({ task: 'inline', execution, order });
    if (answer.kind === 'wait') await new Promise((resolve) => setTimeout(resolve, waitMs));
    if (answer.kind !== 'pass') continue;
    const waiting = [...answer.units];
    const worker = async (): Promise<void> => {
      for (let unit = waiting.shift(); unit !== undefined; unit = waiting.shift()) {
        const task: TaskOf<'unit'> = { task: 'unit', execution, order, pass: answer.pass, unit };
        const beside = drive.beside?.(task);
        while (!((await repeating(task)) as UnitAnswer).done);
        await beside;
      }
    };
    await Promise.all(Array.from({ length: answer.workers }, worker));
  }
}
