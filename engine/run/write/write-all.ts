import pLimit, { type LimitFunction } from 'p-limit';
import { TablewrightError } from '../../../tables/model/error.ts';
import { defaultRetryPolicy } from '../../core/store/retry-policy.ts';
import { maxBatchWriteRequests } from '../../core/write/batch-limits.ts';
import type { FailureReason } from '../../core/write/dead-letter.ts';
import type { Pending } from '../../core/write/key-queue.ts';
import type { WriteProgress } from '../../core/write/write-event.ts';
import type { WriteRequest, WriteTable } from '../../core/write/write-request.ts';
import { type Clock, systemClock } from '../capacity/clock.ts';
import { WakeUp } from '../capacity/wake-up.ts';
import { type LaneContext, TableLane } from './table-lane.ts';
import {
  batchesAhead,
  defaultMaxDeadLetters,
  defaultProgressEveryMs,
  defaultWriteConcurrency,
  maxOutstandingBytes,
  type WriteOptions,
  type WriteResult,
} from './write-options.ts';

/** A source that takes its time may give several at once. */
export type Requests<R extends WriteRequest> = AsyncIterable<R | readonly R[]> | Iterable<R>;

/**
 * Carries out put and delete requests for any tables within their budgets, as batches. Every request read from the source
 * ends acknowledged or in the dead letters, unless the run is interrupted or throws; then what was not acknowledged may or
 * may not be written, and sending it again is harmless. Requests of one key take effect in their order.
 *
 * The store's client must not retry by itself (`maxAttempts: 1`): refusals have to reach the limiter.
 */
export async function writeAll<R extends WriteRequest>(requests: Requests<R>, options: WriteOptions<R>): Promise<WriteResult> {
  return new WriteRun(options).run(requests);
}

/** One call of `writeAll`: reads the source no faster than the lanes get done with it, and ends when they have. */
class WriteRun<R extends WriteRequest> {
  readonly #options: WriteOptions<R>;
  readonly #clock: Clock;
  readonly #tables: ReadonlyMap<string, WriteTable>;
  readonly #lanes = new Map<string, TableLane<R>>();
  readonly #limit: LimitFunction;
  readonly #stopping = new AbortController();
  readonly #changed = new WakeUp();
  readonly #maxOutstanding: number;
  readonly #startedMs: number;
  #toldMs: number;
  #read = 0;
  #written = 0;
  #deadLettered = 0;
  #outstanding = 0;
  #outstandingBytes = 0;
  #held = 0;
  #exhausted = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: WriteOptions<R>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#tables = new Map(options.tables.map((table) => [table.name, table]));
    const { concurrency = defaultWriteConcurrency } = options;
    this.#limit = pLimit(concurrency);
    this.#maxOutstanding = options.maxOutstanding ?? (concurrency + batchesAhead) * maxBatchWriteRequests;
    this.#startedMs = this.#clock.steadyMs();
    this.#toldMs = this.#startedMs;
  }

  async run(requests: Requests<R>): Promise<WriteResult> {
    const { signal } = this.#options;
    const abort = (): void => this.#stop();
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) this.#stop();
    try {
      // A source that never answers must not hold up an abort.
      await Promise.race([this.#readAll(requests), this.#untilHalted()]);
      this.#drain(true);
      while (this.#isBusy()) await this.#changed.wait();
      if (this.#failure !== undefined) throw this.#failure.error;
      return this.#result();
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#stop();
    }
  }

  async #readAll(requests: Requests<R>): Promise<void> {
    try {
      const iterator = Symbol.asyncIterator in requests ? requests[Symbol.asyncIterator]() : requests[Symbol.iterator]();
      while (!this.#isHalted()) {
        const step = iterator.next();
        const { done, value } = step instanceof Promise ? await step : step;
        if (this.#isHalted()) break;
        if (done) {
          this.#exhausted = true;
          return;
        }
        if (Array.isArray(value)) await this.#admitAll(value as readonly R[]);
        else {
          const room = this.#admit(value as R);
          if (room !== undefined) await room;
        }
      }
      await iterator.return?.();
    } catch (error) {
      // What was read before is still carried out; the run throws this at its end.
      this.#failure ??= { error };
    }
  }

  async #admitAll(requests: readonly R[]): Promise<void> {
    for (const request of requests) {
      if (this.#isHalted()) return;
      const room = this.#admit(request);
      if (room !== undefined) await room;
    }
  }

  /** Takes a request in; a promise when the source has to wait. */
  #admit(request: R): Promise<void> | undefined {
    const lane = this.#laneOf(request.table);
    this.#read += 1;
    const offered = lane.offer(request);
    if ('problems' in offered) return lane.reject(request, offered.problems);
    this.#outstanding += 1;
    this.#outstandingBytes += offered.wireBytes;
    return this.#isFull() ? this.#untilRoom() : undefined;
  }

  #isFull(): boolean {
    return this.#outstanding >= this.#maxOutstanding || this.#outstandingBytes >= maxOutstandingBytes;
  }

  async #untilRoom(): Promise<void> {
    // Nothing more is read for now, so no batch need wait to fill up.
    this.#drain(true);
    while (this.#isFull() && !this.#isHalted()) await this.#changed.wait();
    this.#drain(false);
  }

  #drain(on: boolean): void {
    for (const lane of this.#lanes.values()) lane.drain(on);
  }

  #isHalted(): boolean {
    return this.#stopping.signal.aborted;
  }

  #untilHalted(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isHalted()) resolve();
      else this.#stopping.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Batches in flight and dead letters being written are always waited for; the rest only as long as it may still be sent. */
  #isBusy(): boolean {
    return this.#held > 0 || (this.#outstanding > 0 && !this.#isHalted());
  }

  #laneOf(name: string): TableLane<R> {
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    const table = this.#tables.get(name);
    if (table === undefined) {
      throw new TablewrightError('UNKNOWN_NAME', `a request for table ${name}, which this run was not given`, {
        problems: [`expected one of ${[...this.#tables.keys()].join(', ')}`],
      });
    }
    const lane = new TableLane<R>(table, this.#laneContext());
    this.#lanes.set(name, lane);
    return lane;
  }

  #laneContext(): LaneContext<R> {
    return {
      options: this.#options,
      limit: this.#limit,
      retry: { ...defaultRetryPolicy, ...this.#options.retry },
      clock: this.#clock,
      random: this.#options.random ?? Math.random,
      stop: this.#stopping.signal,
      written: (batch) => {
        this.#written += batch.length;
        this.#leave(batch);
      },
      bury: (request, reason, attempts) => this.#hold(() => this.#bury(request, reason, attempts)),
      buried: (pending) => this.#leave([pending]),
      fail: (error) => this.#fail(error),
      hold: (work) => this.#hold(work),
    };
  }

  #leave(batch: readonly Pending<R>[]): void {
    this.#outstanding -= batch.length;
    for (const { wireBytes } of batch) this.#outstandingBytes -= wireBytes;
    this.#changed.notifyAll();
    this.#tellProgress();
  }

  async #hold<T>(work: () => Promise<T>): Promise<T> {
    this.#held += 1;
    try {
      return await work();
    } finally {
      this.#held -= 1;
      this.#changed.notifyAll();
    }
  }

  async #bury(request: R, reason: FailureReason, attempts: number): Promise<void> {
    const letter = { request, reason, attempts };
    await this.#options.deadLetters.write(letter);
    this.#deadLettered += 1;
    await this.#options.onDeadLetter?.(request, letter);
    if (this.#deadLettered > (this.#options.maxDeadLetters ?? defaultMaxDeadLetters)) this.#stop();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#stop();
  }

  /** Nothing more is read or sent. */
  #stop(): void {
    this.#stopping.abort();
    this.#changed.notifyAll();
  }

  #tellProgress(): void {
    const { onEvent, progressEveryMs = defaultProgressEveryMs } = this.#options;
    const nowMs = this.#clock.steadyMs();
    if (onEvent === undefined || nowMs - this.#toldMs < progressEveryMs) return;
    this.#toldMs = nowMs;
    onEvent({ kind: 'progress', progress: this.#progress() });
  }

  #progress(): WriteProgress {
    return {
      read: this.#read,
      written: this.#written,
      deadLettered: this.#deadLettered,
      outstanding: this.#outstanding,
      elapsedMs: this.#clock.steadyMs() - this.#startedMs,
      tables: [...this.#lanes.values()].map((lane) => lane.progress()),
    };
  }

  #result(): WriteResult {
    const progress = this.#progress();
    this.#options.onEvent?.({ kind: 'progress', progress });
    const done = this.#exhausted && this.#outstanding === 0;
    const outcome =
      done && this.#deadLettered === 0 ? 'complete' : this.#options.signal?.aborted && !done ? 'interrupted' : 'incomplete';
    return { ...progress, outcome, exhausted: this.#exhausted };
  }
}
