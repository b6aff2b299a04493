import type { StateMachine, StateMachineDefinition } from 'aws-local-stepfunctions';
import { runnerMachine, taskStates } from '../../../tables/model/runner/machine.ts';
import type { Execution, Executions } from '../../core/remote/executions.ts';
import { type FunctionSettings, LocalFunction } from '../lambda/local-function.ts';
import { withResolvers } from './with-resolvers.ts';

export interface LocalMachine {
  readonly arn: string;
  readonly version: string;
  readonly arnOf: (execution: string) => string;
}

export interface LocalExecutions extends Executions {
  /** Ends whatever still runs, as a machine that is switched off. */
  close(): Promise<void>;
}

type Json = Parameters<StateMachine['run']>[0];

/** Here no history counts the rounds, and Ctrl-C is not to wait for minutes. */
const waits = { Wait: 2_000 } satisfies Partial<Record<keyof ReturnType<typeof runnerMachine>['States'], number>>;

/** Executions of the runner's own definition in this process; every task is a call of the function in a process of its own. */
export function localExecutions(machine: LocalMachine, worker: FunctionSettings): LocalExecutions {
  const known = new Map<string, Execution>();
  const functionArn = `${machine.arn.replace(':states:', ':lambda:').replace(':stateMachine:', ':function:')}:1`;
  const calls = new Calls(worker);
  return {
    runner: async () => ({ functionArn, version: machine.version }),
    start: async (name, input) => {
      const arn = machine.arnOf(name);
      const started = { arn, name, status: 'running', startedMs: Date.now(), input } as const;
      const open = { ...started, output: undefined, error: undefined, cause: undefined };
      withResolvers();
      const { StateMachine } = await import('aws-local-stepfunctions');
      const defined = new StateMachine(runnerMachine(functionArn) as unknown as StateMachineDefinition);
      known.set(arn, open);
      void runMachine(defined, open, calls).then((end) => known.set(arn, { ...open, ...end }));
      return arn;
    },
    describe: async (arn) => known.get(arn),
    latest: async () => [...known.values()].at(-1),
    close: () => calls.close(),
  };
}

/** What the machine calls; when an execution is over, nothing more of it is begun. */
class Calls {
  readonly #function: LocalFunction;
  #isOver = false;

  constructor(settings: FunctionSettings) {
    this.#function = new LocalFunction(settings);
  }

  readonly call = async (event: unknown): Promise<unknown> => {
    // The engine goes on with units that wait when one has failed; Step Functions does not.
    if ((event as { readonly task: string }).task === 'end') this.#isOver = true;
    else if (this.#isOver) throw new Error('the execution is over');
    return this.#function.invoke(event);
  };

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#function[Symbol.asyncDispose]();
  }
}

type End = Pick<Execution, 'status'> & Partial<Pick<Execution, 'output' | 'error' | 'cause'>>;

async function runMachine(machine: StateMachine, { arn, name, input }: Execution, calls: Calls): Promise<End> {
  const handlers = Object.values(taskStates).map(
    (state) => [state, (event: Json) => calls.call(event) as Promise<Json>] as const,
  );
  const { result, eventLogs } = machine.run(JSON.parse(input) as Json, {
    context: { Execution: { Id: arn, Name: name, RedriveCount: 0 } },
    overrides: { taskResourceLocalHandlers: Object.fromEntries(handlers), waitTimeOverrides: waits },
  });
  void forget(eventLogs);
  return result.then(
    (output): End => ({ status: 'succeeded', output: JSON.stringify(output) }),
    ({ cause }: { readonly cause?: Error }): End => ({ status: 'failed', error: cause?.name, cause: cause?.message }),
  );
}

/** It keeps every event until somebody has read it. */
async function forget(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}
