import type { Random } from '../../engine/core/seed/random.ts';
import { TablewrightError } from '../../tables/model/error.ts';
import type { NextAnswer, Order, RemoteCommand, RunnerTask, TaskOf, UnitAnswer } from '../../tables/model/runner/order.ts';
import type { CommandEnd } from './commands.ts';
import type { Machine } from './scenario.ts';
import type { Mishap, SimulatedProcess } from './simulated-process.ts';
import type { World } from './world.ts';

/** What the machine repeats an invocation for, and how often. */
const maxTries = 10;
/** After so long it takes an invocation for lost, and invokes again; the first may still be at work. */
const taskLimitMs = 120_000;
/** Some answer after their limit: what they were at is invoked again while they go on with it. */
const shortLimitsMs = [200, 1_000, 5_000];

export interface ExecutionOptions {
  readonly machine: Omit<Machine, 'script'>;
  readonly command: RemoteCommand;
  readonly workers: number;
  /** What befalls its invocations. */
  readonly random: Random;
  readonly alive: Set<SimulatedProcess>;
}

/** What an invocation ended with: its answer, or how it failed. */
export type Invoked =
  | { readonly kind: 'answered'; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'crashed' };

/** An execution of the state machine, whose invocations are processes like all others: killed, frozen, doubled, late. */
export async function playExecution(world: World, options: ExecutionOptions): Promise<CommandEnd> {
  const name = world.nameExecution();
  const execution = { Id: `arn:execution:${name}`, Name: name };
  const machine = new Machinery(world, options, { execution, order: orderOf(world, options) });
  world.trace.add(`${name} begins: ${options.command} by ${options.workers} workers`);
  world.count(`execution ${options.command}`);
  if (options.command === 'rollback') world.wasRolledBack = true;
  const ended = await machine.run();
  world.trace.add(`${name} ends: ${JSON.stringify(ended)}`);
  await machine.settled();
  if (ended.kind === 'broken') return { kind: 'broken', error: ended.error };
  if (ended.kind === 'stopped') return { kind: 'interrupted' };
  if (ended.kind === 'done') return { kind: 'done', report: { outcome: ended.outcome } };
  if (ended.error === 'INCOMPLETE') return { kind: 'done', report: { outcome: 'incomplete' } };
  const code = ended.error as TablewrightError['code'];
  return { kind: 'refused', code, error: new TablewrightError(code, ended.cause) };
}

function orderOf(world: World, { command, workers, machine, random }: ExecutionOptions): Order {
  const ids = world.sources.map(({ migration }) => migration.id);
  const about = command === 'retry' ? { id: random.pick(ids) } : command === 'rollback' ? { to: '0' } : {};
  return {
    command,
    request: { accept: false, acceptGaps: false, includeExpired: false, ...about },
    migrations: world.sources.map(({ migration, checksum }) => ({ id: migration.id, checksum })),
    version: '1',
    workers,
    budget: { read: 0, write: machine.budget ?? 0 },
    who: 'simulation',
  };
}

type Asked = Pick<RunnerTask, 'execution' | 'order'>;
type Ended =
  | Extract<NextAnswer, { readonly kind: 'done' | 'failed' }>
  | { readonly kind: 'broken'; readonly error: unknown }
  /** From outside, by StopExecution: nothing more is invoked, and what is under way goes on. */
  | { readonly kind: 'stopped' };

/** Nobody can go on: what the machine hands to its last state. */
class GivenUp extends Error {}

class Machinery {
  readonly #world: World;
  readonly #options: ExecutionOptions;
  readonly #asked: Asked;
  readonly #strays = new Set<Promise<unknown>>();
  #isEnded = false;

  constructor(world: World, options: ExecutionOptions, asked: Asked) {
    this.#world = world;
    this.#options = options;
    this.#asked = asked;
  }

  async run(): Promise<Ended> {
    const ended = this.#toItsEnd().finally(() => {
      this.#isEnded = true;
    });
    return this.#isHit(80) ? Promise.race([ended, this.#stop()]) : ended;
  }

  async #stop(): Promise<Ended> {
    await this.#world.sleep(this.#options.random.pick([1_000, 5_000, 20_000]));
    if (!this.#isEnded) this.#world.count('execution stopped');
    this.#isEnded = true;
    return { kind: 'stopped' };
  }

  async #toItsEnd(): Promise<Ended> {
    try {
      return await this.#loop();
    } catch (error) {
      if (!(error instanceof GivenUp) && !(error instanceof TablewrightError)) return { kind: 'broken', error };
      const cause = { Error: error instanceof TablewrightError ? error.code : 'STORE_FAILED', Cause: error.message };
      const told = await this.#invoke({ task: 'end', ...this.#asked, cause }).catch(() => undefined);
      return (told as Ended | undefined) ?? { kind: 'failed', error: 'STORE_FAILED', cause: error.message };
    }
  }

  /** Invocations that nobody waits for any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#strays);
  }

  async #loop(): Promise<Ended> {
    for (;;) {
      const next = (await this.#invoke({ task: 'next', ...this.#asked })) as NextAnswer;
      this.#world.trace.add(`${this.#asked.execution.Name} is told: ${JSON.stringify(next)}`);
      if (next.kind === 'done' || next.kind === 'failed') return next;
      if (next.kind === 'wait') await this.#world.sleep(next.seconds * 1_000);
      if (next.kind === 'inline') await this.#invoke({ task: 'inline', ...this.#asked });
      if (next.kind === 'pass') await this.#pass(next);
    }
  }

  async #pass({ pass, units, workers }: Extract<NextAnswer, { readonly kind: 'pass' }>): Promise<void> {
    const waiting = [...units];
    let failure: { readonly error: unknown } | undefined;
    const worker = async (): Promise<void> => {
      for (let unit = waiting.shift(); unit !== undefined && failure === undefined; unit = waiting.shift()) {
        const task: TaskOf<'unit'> = { task: 'unit', ...this.#asked, pass, unit };
        this.#world.unitTasks.push(task);
        try {
          while (!((await this.#invoke(task)) as UnitAnswer).done);
        } catch (error) {
          // A map without tolerance fails with its first; those under way are not waited for.
          failure ??= { error };
        }
      }
    };
    await Promise.all(Array.from({ length: workers }, worker));
    if (failure !== undefined) throw failure.error;
  }

  async #invoke(task: RunnerTask): Promise<unknown> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      if (this.#isEnded) return new Promise(() => undefined);
      this.#disturb(task);
      const begun = this.#start(task);
      // An answer that is lost on the way: the work is done, and is asked for again.
      if (this.#isHit(60)) {
        await begun;
        this.#world.count('answer lost');
        continue;
      }
      const limitMs = this.#isHit(40) ? this.#options.random.pick(shortLimitsMs) : taskLimitMs;
      const invoked = await Promise.race([begun, this.#world.sleep(limitMs)]);
      if (invoked?.kind === 'answered') return invoked.answer;
      if (invoked?.kind === 'failed') throw invoked.error;
      this.#world.count(invoked === undefined ? 'invocation lost sight of' : 'invocation killed');
      await this.#world.sleep(2_000);
    }
    throw new GivenUp(`${task.task}: failed ${maxTries} times`);
  }

  /** Invocations beside the one whose answer counts. */
  #disturb(task: RunnerTask): void {
    const world = this.#world;
    if (this.#isHit(100)) {
      world.count('invocation doubled');
      this.#start(task);
    }
    const earlier = world.unitTasks.filter(({ execution }) => execution.Id !== task.execution.Id);
    if (earlier.length > 0 && this.#isHit(30)) {
      world.count('unit of an earlier execution');
      this.#start(this.#options.random.pick(earlier));
    }
    if (task.task !== 'end' && this.#isHit(30)) this.#strays.add(this.#refusedByOtherCode(task));
  }

  /** A function that holds other migrations refuses before it asks for anything. */
  async #refusedByOtherCode(task: RunnerTask): Promise<void> {
    const world = this.#world;
    const others = world.sources.map((source) => ({ ...source, checksum: 'checksum-2' }));
    const { process, end } = world.invoke(this.#options.machine, task, [], others);
    const invoked = await end;
    const answer = invoked.kind === 'answered' ? (invoked.answer as NextAnswer | undefined) : undefined;
    const isRefused =
      invoked.kind === 'failed'
        ? invoked.error instanceof TablewrightError && invoked.error.code === 'LEDGER_MISMATCH'
        : answer?.kind === 'failed' && answer.error === 'LEDGER_MISMATCH';
    if (isRefused && !process.hasActed) return world.count('other code refused');
    world.oracle.evidence.report('every command ends as it should', `${process.name} went on with other code: ${task.task}`);
  }

  #start(task: RunnerTask): Promise<Invoked> {
    const { machine, alive } = this.#options;
    const { process, end } = this.#world.invoke(machine, task, this.#mishaps());
    alive.add(process);
    const ended = end.finally(() => alive.delete(process));
    this.#strays.add(ended);
    return ended;
  }

  #isHit(perMille: number): boolean {
    return !this.#world.isCalm && this.#options.random.chance(perMille);
  }

  #mishaps(): readonly Mishap[] {
    const { random, machine } = this.#options;
    const at = (): number => 1 + random.below(random.pick([15, 60, 200]));
    const { leaseMs, heartbeatMs } = machine.tuning;
    const mishaps: Mishap[] = [];
    if (this.#isHit(120)) mishaps.push({ kind: 'freeze', at: at(), forMs: random.pick([300, 4 * heartbeatMs, 3 * leaseMs]) });
    if (this.#isHit(80)) mishaps.push({ kind: 'interrupt', at: at(), forMs: 0 });
    if (this.#isHit(120)) mishaps.push({ kind: 'crash', at: at(), forMs: 0 });
    return mishaps;
  }
}
