import { createRequire } from 'node:module';
import { StateMachine, type StateMachineDefinition } from 'aws-local-stepfunctions';
import { expect } from 'chai';
import { withResolvers } from '../../engine/cli/remote/with-resolvers.ts';
import { runnerMachine, taskStates } from '../../tables/model/runner/machine.ts';
import type { NextAnswer, Order, PassOrder } from '../../tables/model/runner/order.ts';
import { maxUnits, taskSchema } from '../../tables/model/runner/order.ts';

interface Verdict {
  readonly isValid: boolean;
  readonly errors: readonly unknown[];
}

/** It is CommonJS, without declarations. */
const validate = createRequire(import.meta.url)('asl-validator') as (definition: unknown) => Verdict;

const arn = 'arn:aws:lambda:us-east-1:111122223333:function:tablewright-dev-runner:7';
/** What passes between two states, and an execution's input (Step Functions Developer Guide, "Service quotas"). */
const mostBytes = 256 * 1024;

const order: Order = {
  command: 'migrate',
  request: { accept: false, acceptGaps: false, includeExpired: false },
  migrations: [{ id: '0001-one', checksum: 'a'.repeat(64) }],
  version: '7',
  workers: 3,
  budget: { read: 300, write: 300 },
  who: 'somebody',
};
const pass: PassOrder = {
  migration: '0001-one',
  generation: 1,
  step: 0,
  pass: 'apply',
  segments: 4,
  token: 12,
  workers: 2,
  share: { read: 100, write: 100 },
};

type Task = keyof typeof taskStates;
type Asked = Record<string, unknown> & { readonly task: Task; readonly unit?: number };

function failure(name: string): Error {
  return Object.assign(new Error(`${name} happened`), { name });
}

/** One execution with handlers that answer by script; whatever reaches them has the form of the contract. */
async function execute(answers: Partial<Record<Task, (asked: Asked, call: number) => unknown>>, redrives = 0) {
  const asked: Asked[] = [];
  let busy = 0;
  let busiest = 0;
  const handler = async (event: unknown) => {
    const task = taskSchema.parse(event) as Asked;
    const call = asked.filter((other) => other.task === task.task && other.unit === task.unit).length;
    asked.push(task);
    busy += 1;
    busiest = Math.max(busiest, busy);
    try {
      await new Promise(setImmediate);
      return ((await answers[task.task]?.(task, call)) ?? {}) as Record<string, never>;
    } finally {
      busy -= 1;
    }
  };
  withResolvers();
  const states = Object.values(taskStates);
  const machine = new StateMachine(runnerMachine(arn) as unknown as StateMachineDefinition);
  const execution = machine.run(JSON.parse(JSON.stringify(order)), {
    context: { Execution: { Id: `${arn}:one`, Name: 'one', RedriveCount: redrives } },
    overrides: {
      taskResourceLocalHandlers: Object.fromEntries(states.map((state) => [state, handler])),
      waitTimeOverrides: { Wait: 1 },
      retryIntervalOverrides: Object.fromEntries(states.map((state) => [state, 0])),
    },
  });
  const ended = await execution.result.then(
    (output) => ({ output, error: undefined }),
    ({ cause }: { readonly cause: Error }) => ({ output: undefined, error: [cause.name, cause.message] }),
  );
  return { ...ended, asked, busiest, tasks: asked.map(({ task, unit }) => (unit === undefined ? task : `${task} ${unit}`)) };
}

/** What `next` answers, one after the other. */
const next = (...answers: readonly NextAnswer[]) => ({ next: (_: Asked, call: number) => answers[call] });
const units = (...numbers: readonly number[]): NextAnswer => ({ kind: 'pass', pass, units: numbers, workers: 2 });
const done: NextAnswer = { kind: 'done', outcome: 'done' };
const finished = () => ({ done: true });
const givenUp = () => ({ kind: 'failed', error: 'LOCK_LOST', cause: 'another run has the lock' });

describe('the state machine of the runner', () => {
  it('is sound Amazon States Language', () => {
    expect(validate(runnerMachine(arn))).to.deep.include({ isValid: true, errors: [] });
    const { Begin, ...States } = runnerMachine(arn).States;
    expect(Begin.Next).to.equal(taskStates.next);
    expect(validate({ ...runnerMachine(arn), States }).isValid).to.equal(false);
  });

  it('is a Distributed Map of STANDARD children over inline units, without tolerance, and everything has its time', () => {
    const { States, TimeoutSeconds } = runnerMachine(arn);
    expect(States.Pass).to.deep.include({
      Type: 'Map',
      ItemsPath: '$.next.units',
      MaxConcurrencyPath: '$.next.workers',
      ToleratedFailurePercentage: 0,
      ResultPath: null,
    });
    expect(States.Pass.ItemProcessor.ProcessorConfig).to.deep.equal({ Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' });
    expect(States.Pass.ItemProcessor.States.Worked).to.deep.equal({ Type: 'Pass', Result: {}, End: true });
    const text = JSON.stringify(runnerMachine(arn));
    for (const other of ['ItemReader', 'ResultWriter', 'ItemBatcher', 'QueryLanguage']) expect(text).not.to.contain(other);
    const all: readonly object[] = [...Object.values(States), ...Object.values(States.Pass.ItemProcessor.States)];
    const tasks = all.filter((state) => 'Resource' in state);
    expect(tasks).to.have.length(4);
    // Above what a function may run, and never the 60 s of the engine on this machine.
    for (const task of tasks) expect(task).to.deep.include({ Resource: arn, TimeoutSeconds: 930 });
    expect(TimeoutSeconds).to.be.within(86_400, 365 * 86_400);
  });

  it('goes through passes, inline steps and waits as they are answered, and ends', async () => {
    const { tasks, error } = await execute({
      ...next(units(3, 1), { kind: 'inline' }, { kind: 'wait', seconds: 60 }, units(2), done),
      unit: finished,
    });
    expect(error).to.equal(undefined);
    expect(tasks).to.deep.equal(['next', 'unit 3', 'unit 1', 'next', 'inline', 'next', 'next', 'unit 2', 'next']);
  });

  it('hands over the order as it was given, and of the execution no more than is asked for', async () => {
    const { asked } = await execute({ ...next(units(5), done), unit: finished });
    const execution = { Id: `${arn}:one`, Name: 'one', RedriveCount: 0 };
    expect(asked[0]).to.deep.equal({ task: 'next', execution, order });
    expect(asked[1]).to.deep.equal({ task: 'unit', execution, order, pass, unit: 5 });
  });

  it('has no more workers at a time than `next` says', async () => {
    const { busiest, tasks } = await execute({ ...next(units(...Array(40).keys()), done), unit: finished });
    expect(tasks).to.have.length(42);
    expect(busiest).to.equal(2);
  });

  it('goes round again with a unit until it is done', async () => {
    const { tasks } = await execute({ ...next(units(7), done), unit: (_, call) => ({ done: call === 3 }) });
    expect(tasks).to.deep.equal(['next', 'unit 7', 'unit 7', 'unit 7', 'unit 7', 'next']);
  });

  it('invokes a killed or throttled worker again, and `next` and inline steps, too', async () => {
    const names = ['Runtime.ExitError', 'Lambda.Unknown', 'Sandbox.Timedout', 'Lambda.TooManyRequestsException'];
    for (const name of names) {
      const once = (answer: unknown) => (_: Asked, call: number) => {
        if (call === 0) throw failure(name);
        return answer;
      };
      const { tasks, error } = await execute({
        next: (_, call) => once([done, { kind: 'inline' }, units(1), done][call])(_, call),
        inline: once({}),
        unit: once({ done: true }),
      });
      expect(error, name).to.equal(undefined);
      expect(tasks, name).to.deep.equal(['next', 'next', 'inline', 'inline', 'next', 'unit 1', 'unit 1', 'next']);
    }
  });

  it('does not repeat what the function says of its own accord: it gives up in order and fails with what that answers', async () => {
    for (const task of ['next', 'inline', 'unit'] as const) {
      const { tasks, error, asked } = await execute({
        ...next(task === 'inline' ? { kind: 'inline' } : units(1), done),
        unit: finished,
        [task]: () => {
          throw failure('LOCK_LOST');
        },
        end: givenUp,
      });
      expect(error, task).to.deep.equal(['LOCK_LOST', 'another run has the lock']);
      expect(tasks.at(-1), task).to.equal('end');
      expect(
        tasks.filter((one) => one.startsWith(task)),
        task,
      ).to.have.length(1);
      expect(asked.at(-1)?.cause, task).to.deep.include({ Error: 'LOCK_LOST' });
    }
  });

  it('gives up on a worker that is killed every time', async () => {
    const { tasks, error } = await execute({
      ...next(units(1)),
      unit: () => {
        throw failure('Runtime.ExitError');
      },
      end: givenUp,
    });
    expect(tasks.filter((task) => task === 'unit 1')).to.have.length(11);
    expect(error).to.deep.equal(['LOCK_LOST', 'another run has the lock']);
  });

  it('fails as `next` says, without giving up a second time', async () => {
    const failed: NextAnswer = { kind: 'failed', error: 'MIGRATION_FAILED', cause: '0001-one is incomplete' };
    const { tasks, error } = await execute(next(failed));
    expect(tasks).to.deep.equal(['next']);
    expect(error).to.deep.equal(['MIGRATION_FAILED', '0001-one is incomplete']);
  });

  it('tells every task that somebody has redriven it', async () => {
    const { asked } = await execute({ ...next(units(1), { kind: 'inline' }, done), unit: finished }, 1);
    const counts = asked.map(({ execution }) => (execution as { readonly RedriveCount: number }).RedriveCount);
    // Of a unit the parent's count and the child's: this engine has one context for both.
    expect(counts).to.deep.equal([1, 2, 1, 1, 1]);
  });

  it('stays below what passes between two states, with all units and a thousand migrations', () => {
    const migrations = Array.from({ length: 1_000 }, (_, at) => ({
      id: `${at}-${'x'.repeat(20)}`,
      checksum: 'a'.repeat(64),
    }));
    const answer = { kind: 'pass', pass, units: [...Array(maxUnits).keys()], workers: 1_000 };
    const bytes = Buffer.byteLength(JSON.stringify({ order: { ...order, migrations }, next: answer }));
    expect(bytes).to.be.below(mostBytes);
    expect(Buffer.byteLength(JSON.stringify(Array(maxUnits).fill({})))).to.be.below(mostBytes);
  });
});
