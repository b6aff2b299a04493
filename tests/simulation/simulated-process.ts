import type { Random } from '../../engine/core/seed/random.ts';
import type { Clock } from '../../engine/run/capacity/clock.ts';
import type { Actor } from '../../engine/run/migrate/environment.ts';
import type { Admission, Owner, Scheduler } from './scheduler.ts';

/** What happens to a process, at the n-th time that it does something or something happens to it. */
export interface Mishap {
  readonly at: number;
  readonly kind: 'crash' | 'freeze' | 'interrupt';
  /** How long it is frozen. */
  readonly forMs: number;
}

/** A command that a process runs. */
export type Command = 'migrate' | 'verify' | 'rollback' | 'retry' | 'repair' | 'pause' | 'resume' | 'stop' | 'unlock';

export interface ProcessOptions {
  readonly name: string;
  readonly doing: Command;
  /** By how much its clock is ahead. */
  readonly skewMs: number;
  readonly mishaps: readonly Mishap[];
  readonly random: Random;
  /** What all clocks would show at the beginning. */
  readonly epochMs: number;
  readonly onMishap: (kind: Mishap['kind'], process: SimulatedProcess) => void;
  /** It is an invocation of this execution. */
  readonly execution?: string | undefined;
  /** The unit that it works on, as the claim's partition names it. */
  readonly unit?: string | undefined;
  /** How long it may go on after it has last seen that its claim is the last one. */
  readonly silenceMs?: number | undefined;
}

/**
 * A runner's process, as far as the world can see: what it asks for, and what is told to it, goes through here. Killed, nothing
 * is ever told to it again: its calls stay open, so that no `finally` of it runs. Frozen, all of it waits until it wakes.
 */
export class SimulatedProcess implements Owner {
  readonly #scheduler: Scheduler;
  readonly #options: ProcessOptions;
  readonly #controller = new AbortController();
  readonly #died: Promise<'crashed'>;
  #state: 'alive' | 'frozen' | 'dead' = 'alive';
  #mishaps: readonly Mishap[];
  #count = 0;
  #tellDeath: () => void = () => undefined;
  /** Of an invocation that speaks for an execution: which one it is. */
  turn: number | undefined;
  /** The token of the lock that it took last, and until when it knows that it holds it, by its own clock. */
  lease: { readonly token: number; readonly until: number } | undefined;

  constructor(scheduler: Scheduler, options: ProcessOptions) {
    this.#scheduler = scheduler;
    this.#options = options;
    this.#mishaps = options.mishaps;
    this.#died = new Promise((resolve) => {
      this.#tellDeath = () => resolve('crashed');
    });
  }

  get name(): string {
    return this.#options.name;
  }

  /** As the lock names it. */
  get holder(): string {
    const { who, host } = this.actor;
    return this.execution ?? `${who}@${host}`;
  }

  get execution(): string | undefined {
    return this.#options.execution;
  }

  get unit(): string | undefined {
    return this.#options.unit;
  }

  get silenceMs(): number {
    return this.#options.silenceMs ?? 0;
  }

  /** Those who have seen what it has seen: the invocations of one execution. */
  get crew(): string {
    return this.execution ?? this.name;
  }

  get actor(): Actor {
    return { who: 'simulation', host: this.name };
  }

  get doing(): Command {
    return this.#options.doing;
  }

  /** It has asked for something, or was told something. */
  get hasActed(): boolean {
    return this.#count > 0;
  }

  get isFrozen(): boolean {
    return this.#state === 'frozen';
  }

  /** First Ctrl-C. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get died(): Promise<'crashed'> {
    return this.#died;
  }

  /** Asked before anything that it does, and before anything that happens to it. */
  admit(): Admission {
    if (this.#state === 'dead') return 'drop';
    if (this.#state === 'frozen') return 'hold';
    this.#count += 1;
    for (const mishap of this.#mishaps) if (mishap.at === this.#count) this.#suffer(mishap);
    return this.#admission();
  }

  #admission(): Admission {
    if (this.#state === 'alive') return 'go';
    return this.#state === 'dead' ? 'drop' : 'hold';
  }

  #suffer({ kind, forMs }: Mishap): void {
    this.#options.onMishap(kind, this);
    if (kind === 'crash') this.kill();
    else if (kind === 'freeze') this.#freeze(forMs);
    else this.#controller.abort();
  }

  kill(): void {
    this.#state = 'dead';
    this.#tellDeath();
  }

  #freeze(forMs: number): void {
    this.#state = 'frozen';
    // The alarm is the world's: a frozen process does not wake itself.
    this.#scheduler.after(theWorld, forMs, `wakes ${this.name}`, () => this.wake());
  }

  wake(): void {
    if (this.#state !== 'frozen') return;
    this.#state = 'alive';
    this.#scheduler.wake(this);
  }

  /** Nothing more happens to it, and what had happened is over. */
  spare(): void {
    this.#mishaps = [];
    this.wake();
  }

  readonly nowMs = (): number => this.#options.epochMs + Math.floor(this.#scheduler.nowMs) + this.#options.skewMs;

  readonly random = (): number => this.#options.random.below(0x1_0000_0000) / 0x1_0000_0000;

  /** Milliseconds that pass alike for everybody. */
  readonly clock: Clock = {
    steadyMs: () => this.#scheduler.nowMs,
    after: (delayMs, callback) => this.#scheduler.after(this, delayMs, 'timer', callback),
  };

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(abortError(signal));
      const cancel = this.#scheduler.after(this, ms, 'slept', () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      const abort = (): void => {
        cancel();
        reject(abortError(signal));
      };
      signal?.addEventListener('abort', abort, { once: true });
    });

  readonly every = (ms: number, callback: () => void): (() => void) => {
    let cancel = (): void => undefined;
    const next = (): void => {
      cancel = this.#scheduler.after(this, ms, 'tick', () => {
        next();
        callback();
      });
    };
    next();
    return () => cancel();
  };
}

/** As Node's own timers and the SDK reject. */
export function abortError(signal: AbortSignal | undefined): Error {
  return Object.assign(new Error('The operation was aborted', { cause: signal?.reason }), { name: 'AbortError' });
}

/** What is nobody's: the network, applications, time itself. */
export const theWorld: Owner = { name: 'world', admit: () => 'go' };
