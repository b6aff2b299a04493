import { type RetryCause, TablewrightError } from '../../../tables/model/error.ts';
import type { Reservation } from '../../core/capacity/capacity-limiter.ts';
import { decideRetry, defaultRetryPolicy, type RetryPolicy } from '../../core/store/retry-policy.ts';
import type { CapacityGate } from '../capacity/capacity-gate.ts';

export interface RetryEvent {
  readonly table: string;
  /** Keys that go again; 0 of a page. */
  readonly items: number;
  readonly cause: RetryCause;
  readonly delayMs: number;
}

/** What repeating a request needs: time, chance for the jitter, and names that are given once. */
export interface RetryContext {
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly retry?: RetryPolicy | undefined;
  /**
   * Aborted when the command is to stop, for requests that a signal of their own does not end: those that write down how far
   * it got, and what these have to know. They are tried once more then, and waited for no longer.
   */
  readonly stopping?: AbortSignal | undefined;
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Names a transaction, so that its repetition is known as such; a random UUID when left out. */
  readonly requestToken?: (() => string) | undefined;
}

export interface Failed {
  readonly table: string;
  readonly items: number;
  readonly cause: RetryCause;
  readonly tries: number;
  /** The last failure; keys that stay unprocessed have none. */
  readonly failure?: TablewrightError | undefined;
}

/** Waits before the next try, or gives up with what happened last. */
export async function waitBefore(context: RetryContext, failed: Failed, signal: AbortSignal | undefined): Promise<void> {
  const { table, items, cause, tries } = failed;
  const { stopping } = context;
  stopping?.throwIfAborted();
  const decision = decideRetry(tries, cause, context.retry ?? defaultRetryPolicy, context.random());
  if (decision.kind === 'give-up') throw gaveUp(failed);
  context.onRetry?.({ table, items, cause, delayMs: decision.delayMs });
  await context.sleep(decision.delayMs, signal ?? stopping).catch((error: unknown) => {
    if (signal?.aborted !== true && stopping?.aborted !== true) throw error;
  });
  signal?.throwIfAborted();
}

export interface EnterOptions {
  readonly signal?: AbortSignal | undefined;
  readonly stopping?: AbortSignal | undefined;
  readonly urgent?: boolean | undefined;
  readonly surprise?: number | undefined;
}

/** Waits for the budget; once the command is to stop, only as long as the last second is full. */
export async function enterGate(
  gate: CapacityGate,
  estimate: number,
  { signal, stopping, urgent = false, surprise }: EnterOptions,
): Promise<Reservation> {
  const claim = { measured: true, urgent, surprise };
  const entered = stopping?.aborted === true ? undefined : await gate.enter(estimate, signal ?? stopping, claim);
  if (entered !== undefined) return entered;
  const hurried = await gate.enter(estimate, signal, { ...claim, urgent: true });
  if (hurried === undefined) throw signal?.reason;
  return hurried;
}

function gaveUp({ table, items, tries, failure }: Failed): TablewrightError {
  if (failure === undefined) {
    return new TablewrightError('THROTTLED', `${table}: ${items} records were still unread after ${tries} tries`, {
      next: 'The table is short of read capacity: raise it or read less at once.',
    });
  }
  const what = failure.repeatable?.what ?? failure.message;
  return new TablewrightError(failure.code, tries > 1 ? `${what}, after ${tries} tries` : what, {
    ...(failure.next === undefined ? {} : { next: failure.next }),
    cause: failure,
  });
}
