import type { Random } from '../../engine/core/seed/random.ts';

/** Taken before a simulation forbids it: the one turn of the real event loop between two events. */
const { setImmediate: nextTurn } = globalThis;

/** `go`: it happens. `hold`: its owner is frozen and gets it when it wakes. `drop`: its owner is dead, so it never happens. */
export type Admission = 'go' | 'hold' | 'drop';

/** Whom an event happens to. Asked at the moment when it would happen. */
export interface Owner {
  readonly name: string;
  admit(): Admission;
}

interface Event {
  readonly time: number;
  readonly tie: number;
  readonly sequence: number;
  readonly owner: Owner;
  readonly what: string;
  readonly run: () => void;
  cancelled: boolean;
}

export interface Limits {
  readonly maxEvents: number;
}

/** Why a simulation cannot go on. */
export class Stuck extends Error {}

/**
 * All that happens in a simulation, one event at a time: what waits is let run to its next wait, then the next event is
 * released. Events of the same moment come in an order that the seed draws.
 */
export class Scheduler {
  readonly #heap: Event[] = [];
  readonly #held = new Map<Owner, Event[]>();
  readonly #ties: Random;
  readonly #trace: (line: string) => void;
  #sequence = 0;
  #nowMs = 0;
  released = 0;

  constructor(ties: Random, trace: (line: string) => void) {
    this.#ties = ties;
    this.#trace = trace;
  }

  /** Milliseconds since the simulation began. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Cancelled by what it returns. */
  after(owner: Owner, delayMs: number, what: string, run: () => void): () => void {
    this.#sequence += 1;
    const time = this.#nowMs + Math.max(0, delayMs);
    const event: Event = { time, tie: this.#ties.below(1 << 30), sequence: this.#sequence, owner, what, run, cancelled: false };
    push(this.#heap, event);
    return () => {
      event.cancelled = true;
    };
  }

  /** What was held back for the owner happens now, in an order of its own. */
  wake(owner: Owner): void {
    const held = this.#held.get(owner) ?? [];
    this.#held.delete(owner);
    for (const { what, run, cancelled } of held) if (!cancelled) this.after(owner, 0, what, run);
  }

  /** Lets events happen until the work is done. `check` throws when something is wrong. */
  async drive<T>(work: Promise<T>, limits: Limits, check: () => void): Promise<T> {
    const state = { done: false };
    const mark = (): void => {
      state.done = true;
    };
    work.then(mark, mark);
    for (;;) {
      await new Promise<void>((resolve) => nextTurn(resolve));
      check();
      if (state.done) return work;
      this.#release();
      if (this.released > limits.maxEvents) throw new Stuck(`no end after ${limits.maxEvents} events`);
    }
  }

  #release(): void {
    const event = pop(this.#heap);
    if (event === undefined) throw new Stuck('everybody waits, and nothing is left that could happen');
    if (event.cancelled) return;
    this.#nowMs = Math.max(this.#nowMs, event.time);
    const admission = event.owner.admit();
    if (admission === 'drop') return;
    if (admission === 'hold') {
      const held = this.#held.get(event.owner) ?? [];
      this.#held.set(event.owner, [...held, event]);
      return;
    }
    this.released += 1;
    this.#trace(`${event.owner.name} ${event.what}`);
    event.run();
  }
}

function isBefore(a: Event, b: Event): boolean {
  if (a.time !== b.time) return a.time < b.time;
  return a.tie === b.tie ? a.sequence < b.sequence : a.tie < b.tie;
}

function push(heap: Event[], event: Event): void {
  let at = heap.length;
  heap.push(event);
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || !isBefore(event, parent)) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = event;
}

function pop(heap: Event[]): Event | undefined {
  const [first] = heap;
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    const below = smallerChild(heap, at);
    const child = heap[below];
    if (child === undefined || !isBefore(child, last)) break;
    heap[at] = child;
    at = below;
  }
  heap[at] = last;
  return first;
}

function smallerChild(heap: readonly Event[], at: number): number {
  const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]];
  return left !== undefined && right !== undefined && isBefore(right, left) ? 2 * at + 2 : 2 * at + 1;
}
