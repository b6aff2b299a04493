import { TablewrightError } from '../../../tables/model/error.ts';
import { showKey } from '../../../tables/model/item.ts';
import type { Reservation, UseOutcome } from '../../core/capacity/capacity-limiter.ts';
import { decideRetry, type RetryCause } from '../../core/store/retry-policy.ts';
import type { BatchOutcome } from '../../core/write/batch-outcome.ts';
import type { FailureReason } from '../../core/write/dead-letter.ts';
import { type KeyQueue, type Pending, unitsOf } from '../../core/write/key-queue.ts';
import { bodyOf, type WriteRequest, type WriteTable } from '../../core/write/write-request.ts';
import type { CapacityGate } from '../capacity/capacity-gate.ts';
import type { LaneContext } from './table-lane.ts';

/** What the settler needs of its lane: time, and to be heard when the queue has changed. */
export interface LaneHooks {
  readonly later: (delayMs: number, callback: () => void) => void;
  readonly announce: () => void;
}

/** What follows from the answer to a batch: each of its requests is acknowledged, goes again, or becomes a dead letter. */
export class BatchSettler<R extends WriteRequest> {
  readonly #table: WriteTable;
  readonly #gate: CapacityGate;
  readonly #queue: KeyQueue<R>;
  readonly #context: LaneContext<R>;
  readonly #lane: LaneHooks;
  #slow: string | undefined;
  readonly counts = { written: 0, deadLettered: 0, consumedUnits: 0, refused: 0, retried: 0 };

  constructor(table: WriteTable, gate: CapacityGate, queue: KeyQueue<R>, context: LaneContext<R>, lane: LaneHooks) {
    this.#table = table;
    this.#gate = gate;
    this.#queue = queue;
    this.#context = context;
    this.#lane = lane;
  }

  async settle(batch: readonly Pending<R>[], reservation: Reservation, outcome: BatchOutcome): Promise<void> {
    this.#account(batch, reservation, outcome);
    switch (outcome.kind) {
      case 'answered': {
        const left = new Set(outcome.unprocessed);
        await this.#acknowledge(left.size === 0 ? batch : batch.filter((_, at) => !left.has(at)));
        if (left.size === 0) return;
        return this.#sendAgain(pick(batch, outcome.unprocessed), 'unprocessed', unprocessed);
      }
      case 'failed':
        return this.#sendAgain(batch, outcome.cause, outcome.message);
      case 'invalid':
        return this.#narrow(batch, { code: outcome.code, message: outcome.message });
      case 'fatal':
        throw outcome.error;
    }
  }

  async bury(request: R, reason: FailureReason, attempts: number): Promise<void> {
    const { options, bury } = this.#context;
    await bury(request, reason, attempts);
    this.counts.deadLettered += 1;
    const key = showKey(this.#table, bodyOf(request));
    options.onEvent?.({ kind: 'dead-letter', table: this.#table.name, key, reason, attempts });
  }

  #account(batch: readonly Pending<R>[], reservation: Reservation, outcome: BatchOutcome): void {
    const refused = refusedOf(batch, outcome);
    this.counts.refused += refused.length;
    if (outcome.kind === 'answered') this.counts.consumedUnits += outcome.consumed ?? unitsOf(batch) - unitsOf(refused);
    this.#gate.leave(reservation, costOf(outcome, unitsOf(refused)));
    this.#tellPace();
  }

  async #acknowledge(batch: readonly Pending<R>[]): Promise<void> {
    if (batch.length === 0) return;
    this.counts.written += batch.length;
    // Before the next request of the same key may start: hooks see a key's requests in their order.
    await this.#context.options.onAcknowledged?.(batch.map((pending) => pending.request));
    for (const pending of batch) this.#queue.finish(pending);
    this.#lane.announce();
    this.#context.written(batch);
  }

  /** Back to the queue after a while; those that were sent too often become dead letters. */
  async #sendAgain(batch: readonly Pending<R>[], cause: RetryCause, message: string): Promise<void> {
    const { retry, random, options, stop } = this.#context;
    // Being stopped is nobody's fault: they stay unwritten, and no dead letters.
    if (stop.aborted) return;
    const drawn = random();
    const decided = batch.map((pending) => ({ pending, decision: decideRetry(pending.attempts, cause, retry, drawn) }));
    const again = decided.flatMap(({ pending, decision }) => (decision.kind === 'retry' ? [pending] : []));
    if (again.length > 0) {
      const delayMs = Math.max(...decided.map(({ decision }) => (decision.kind === 'retry' ? decision.delayMs : 0)));
      this.counts.retried += again.length;
      options.onEvent?.({ kind: 'retry', table: this.#table.name, requests: again.length, cause, delayMs });
      this.#lane.later(delayMs, () => {
        this.#queue.putBack(again);
        this.#lane.announce();
      });
    }
    // No request is at fault when the server keeps silent: the run ends, rather than turn its input into dead letters.
    if (cause === 'no-answer' && again.length < decided.length) throw silent(this.#table.name, message, batch);
    for (const { pending, decision } of decided) {
      if (decision.kind === 'give-up') await this.#giveUp(pending, { code: cause, message });
    }
  }

  /** The store takes none of a batch with one bad request in it: halves go again, until the bad one stands alone. */
  async #narrow(batch: readonly Pending<R>[], reason: FailureReason): Promise<void> {
    const [only] = batch;
    if (batch.length === 1 && only !== undefined) return this.#giveUp(only, reason);
    // The good ones were not at fault: this does not count against their attempts.
    for (const pending of batch) pending.attempts -= 1;
    const middle = Math.ceil(batch.length / 2);
    this.#queue.isolate(batch.slice(0, middle));
    this.#queue.isolate(batch.slice(middle));
    this.#lane.announce();
  }

  async #giveUp(pending: Pending<R>, reason: FailureReason): Promise<void> {
    await this.bury(pending.request, reason, pending.attempts);
    this.#queue.finish(pending);
    this.#lane.announce();
    this.#context.buried(pending);
  }

  #tellPace(): void {
    const { onEvent } = this.#context.options;
    if (onEvent === undefined) return;
    const { slow } = this.#gate.status();
    if (slow?.kind === this.#slow) return;
    this.#slow = slow?.kind;
    onEvent({ kind: 'pace', table: this.#table.name, slow });
  }
}

/** BatchWriteItem API reference, UnprocessedItems: the items, and nothing about why. */
const unprocessed = 'the store did not process it; it gives no reason for items of a batch';

function silent<R>(table: string, message: string, batch: readonly Pending<R>[]): TablewrightError {
  const tries = Math.max(...batch.map(({ attempts }) => attempts));
  return new TablewrightError('STORE_FAILED', `${table}: ${message}, after ${tries} tries`, {
    next: 'Check the network, then run the same command again: it goes on where it stopped.',
  });
}

/** The requests of a batch that were refused for want of capacity. */
function refusedOf<R>(batch: readonly Pending<R>[], outcome: BatchOutcome): readonly Pending<R>[] {
  if (outcome.kind === 'answered') return pick(batch, outcome.unprocessed);
  return outcome.kind === 'failed' && outcome.cause === 'throttled' ? batch : [];
}

function costOf(outcome: BatchOutcome, refused: number): UseOutcome {
  if (outcome.kind === 'answered') return { kind: 'answered', consumed: outcome.consumed, refused };
  if (refused > 0 && outcome.kind === 'failed') return { kind: 'answered', consumed: 0, refused, reasons: outcome.reasons };
  return outcome.kind === 'invalid' ? { kind: 'cancelled' } : { kind: 'unknown' };
}

function pick<T>(batch: readonly T[], places: readonly number[]): readonly T[] {
  return places.length === 0 ? [] : places.flatMap((place) => batch[place] ?? []);
}
