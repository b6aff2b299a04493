import type { LimitFunction } from 'p-limit';
import type { Reservation } from '../../core/capacity/capacity-limiter.ts';
import type { RetryPolicy } from '../../core/store/retry-policy.ts';
import { maxBatchWriteBytes, maxBatchWriteRequests } from '../../core/write/batch-limits.ts';
import { requestChecker } from '../../core/write/check-request.ts';
import type { FailureReason } from '../../core/write/dead-letter.ts';
import { KeyQueue, type Pending, unitsOf } from '../../core/write/key-queue.ts';
import type { TableProgress } from '../../core/write/write-event.ts';
import type { WriteRequest, WriteTable } from '../../core/write/write-request.ts';
import type { CapacityGate } from '../capacity/capacity-gate.ts';
import type { Clock } from '../capacity/clock.ts';
import { WakeUp } from '../capacity/wake-up.ts';
import { BatchSettler } from './batch-settler.ts';
import { lingerMs, type WriteOptions } from './write-options.ts';

/** What the lanes of a run share. */
export interface LaneContext<R extends WriteRequest> {
  readonly options: WriteOptions<R>;
  readonly limit: LimitFunction;
  readonly retry: RetryPolicy;
  readonly clock: Clock;
  readonly random: () => number;
  /** Aborted when nothing more may be sent. */
  readonly stop: AbortSignal;
  /** These requests are acknowledged, and their hook has returned. */
  readonly written: (batch: readonly Pending<R>[]) => void;
  /** Writes the dead letter and counts it. */
  readonly bury: (request: R, reason: FailureReason, attempts: number) => Promise<void>;
  /** A request that was on its way is in the dead letters. */
  readonly buried: (pending: Pending<R>) => void;
  /** The run cannot go on. */
  readonly fail: (error: unknown) => void;
  /** Runs work that the run does not end before. */
  readonly hold: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * The way of one table's requests: queued by key, batched, let through the table's gate, and sent. Batches hold one table
 * only, so that a table that is short of capacity holds up no other.
 */
export class TableLane<R extends WriteRequest> {
  readonly #table: WriteTable;
  readonly #context: LaneContext<R>;
  readonly #gate: CapacityGate;
  readonly #check: ReturnType<typeof requestChecker>;
  readonly #queue = new KeyQueue<R>();
  readonly #settler: BatchSettler<R>;
  readonly #wake = new WakeUp();
  readonly #timers = new Set<() => void>();
  #lingering = false;
  #due = false;
  #draining = false;

  constructor(table: WriteTable, context: LaneContext<R>) {
    this.#table = table;
    this.#context = context;
    this.#gate = context.options.gates.of(table.name);
    this.#check = requestChecker(table);
    this.#settler = new BatchSettler(table, this.#gate, this.#queue, context, {
      later: (delayMs, callback) => this.#later(delayMs, callback),
      announce: () => this.#announce(),
    });
    context.stop.addEventListener('abort', () => this.#stop(), { once: true });
    void this.#sendAll();
  }

  /** Queues the request; or says why it cannot be sent, and leaves it to `reject`. */
  offer(request: R): Pending<R> | { readonly problems: readonly string[] } {
    const checked = this.#check(request);
    if ('problems' in checked) return checked;
    // Spelt out: a spread takes several times as long, and this runs for every request.
    const { key, wireBytes, units } = checked;
    const pending = { key, wireBytes, units, request, attempts: 0 };
    this.#queue.offer(pending);
    this.#announce();
    return pending;
  }

  /** A request that was never sent goes to the dead letters. */
  reject(request: R, problems: readonly string[]): Promise<void> {
    return this.#settler.bury(request, { code: 'BAD_ITEM', message: problems.join('; ') }, 0);
  }

  /** While this is on, whatever is ready goes at once, full batch or not. */
  drain(on: boolean): void {
    this.#draining = on;
    if (on) this.#wake.notifyAll();
  }

  progress(): TableProgress {
    return { table: this.#table.name, ...this.#settler.counts, ...this.#gate.status() };
  }

  async #sendAll(): Promise<void> {
    const { stop, limit, hold } = this.#context;
    while (!stop.aborted) {
      if (!this.#isWorthSending()) {
        await this.#wake.wait();
        continue;
      }
      const batch = this.#take();
      const reservation = await this.#gate.enter(unitsOf(batch), stop);
      if (reservation === undefined) return;
      // Goes on when the batch has started, so that at most one batch of the table waits for a free connection.
      await new Promise<void>((started) => {
        void limit(() => {
          started();
          return hold(() => this.#send(batch, reservation));
        });
      });
    }
  }

  async #send(batch: readonly Pending<R>[], reservation: Reservation): Promise<void> {
    const { stop, options, fail } = this.#context;
    if (stop.aborted) {
      this.#gate.leave(reservation, { kind: 'cancelled' });
      return;
    }
    try {
      for (const pending of batch) pending.attempts += 1;
      const requests = batch.map((pending) => pending.request);
      const outcome = await options.store.send(this.#table, requests);
      await this.#settler.settle(batch, reservation, outcome);
    } catch (error) {
      fail(error);
    }
  }

  #isWorthSending(): boolean {
    const { ready, hasIsolated } = this.#queue;
    return ready >= maxBatchWriteRequests || hasIsolated || (ready > 0 && (this.#draining || this.#due));
  }

  #take(): Pending<R>[] {
    const limits = { maxRequests: maxBatchWriteRequests, maxBytes: maxBatchWriteBytes, maxUnits: this.#gate.maxRequestUnits };
    const batch = this.#queue.take(limits);
    this.#due = false;
    this.#linger();
    return batch;
  }

  #announce(): void {
    if (this.#isWorthSending()) this.#wake.notifyAll();
    else this.#linger();
  }

  /** A batch that does not fill up goes after a moment. */
  #linger(): void {
    if (this.#lingering || this.#queue.ready === 0) return;
    this.#lingering = true;
    this.#later(lingerMs, () => {
      this.#lingering = false;
      this.#due = true;
      this.#wake.notifyAll();
    });
  }

  #later(delayMs: number, callback: () => void): void {
    if (this.#context.stop.aborted) return;
    const cancel = this.#context.clock.after(delayMs, () => {
      this.#timers.delete(cancel);
      callback();
    });
    this.#timers.add(cancel);
  }

  #stop(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
    this.#wake.notifyAll();
  }
}
