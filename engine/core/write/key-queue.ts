import type { Measured } from './check-request.ts';

/** What the request holds around its items: the table's name, and the options. */
const batchFrameBytes = 1_024;

/** A request on its way, with what was measured of it and how often it was sent. */
export interface Pending<R> extends Measured {
  readonly request: R;
  attempts: number;
}

export interface BatchLimits {
  readonly maxRequests: number;
  readonly maxBytes: number;
  /** The most that a batch of more than one request may be expected to cost. */
  readonly maxUnits: number;
}

/**
 * The requests of one table that wait to be sent. At any time at most one request of a key is ready or out; the others of
 * that key wait behind it in their order. So a batch never holds a key twice, and a later write never overtakes an
 * earlier one that is in flight or waits for a retry.
 */
export class KeyQueue<R> {
  readonly #behind = new Map<string, Pending<R>[]>();
  readonly #again: Pending<R>[] = [];
  readonly #alone: Pending<R>[][] = [];
  #fresh: Pending<R>[] = [];
  #head = 0;
  #parked = 0;

  /** Requests that could be sent now. */
  get ready(): number {
    return this.#again.length + this.#fresh.length - this.#head + this.#alone.length;
  }

  /** Requests that wait behind an earlier one of their key. */
  get parked(): number {
    return this.#parked;
  }

  /** A batch that has to go as it is, however small. */
  get hasIsolated(): boolean {
    return this.#alone.length > 0;
  }

  offer(pending: Pending<R>): void {
    const behind = this.#behind.get(pending.key);
    if (behind === undefined) {
      this.#behind.set(pending.key, none);
      this.#fresh.push(pending);
      return;
    }
    this.#parked += 1;
    if (behind === none) this.#behind.set(pending.key, [pending]);
    else behind.push(pending);
  }

  /** The request is done, well or not: the next one of its key becomes ready. */
  finish(pending: Pending<R>): void {
    const behind = this.#behind.get(pending.key) as Pending<R>[];
    const next = behind === none ? undefined : behind.shift();
    if (next === undefined) {
      this.#behind.delete(pending.key);
      return;
    }
    this.#parked -= 1;
    this.#fresh.push(next);
  }

  /** The requests were not taken: they go again, before any that were never sent. */
  putBack(batch: readonly Pending<R>[]): void {
    this.#again.push(...batch);
  }

  /** The requests go again as a batch of their own, to find the one that spoils it. */
  isolate(batch: readonly Pending<R>[]): void {
    this.#alone.push([...batch]);
  }

  /** The next batch; empty when nothing is ready. */
  take(limits: BatchLimits): Pending<R>[] {
    const isolated = this.#alone.shift();
    if (isolated !== undefined) return isolated;
    const batch: Pending<R>[] = [];
    let bytes = batchFrameBytes;
    let units = 0;
    for (let next = this.#peek(); next !== undefined; next = this.#peek()) {
      bytes += next.wireBytes;
      units += next.units;
      const full = batch.length >= limits.maxRequests || bytes > limits.maxBytes || units > limits.maxUnits;
      if (full && batch.length > 0) break;
      batch.push(next);
      this.#drop();
    }
    return batch;
  }

  #peek(): Pending<R> | undefined {
    return this.#again[0] ?? this.#fresh[this.#head];
  }

  #drop(): void {
    if (this.#again.length > 0) {
      this.#again.shift();
      return;
    }
    this.#head += 1;
    if (this.#head > 1_024 || this.#head === this.#fresh.length) {
      this.#fresh = this.#fresh.slice(this.#head);
      this.#head = 0;
    }
  }
}

/** Shared by the many keys that nothing waits behind. */
const none: Pending<never>[] = [];

/** Write units that a batch is expected to cost. */
export function unitsOf<R>(batch: readonly Pending<R>[]): number {
  let units = 0;
  for (const pending of batch) units += pending.units;
  return units;
}
