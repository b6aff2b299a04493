import { type RetryCause, TablewrightError } from '../../../tables/model/error.ts';
import { decideRetry, defaultRetryPolicy, type RetryPolicy } from '../../core/store/retry-policy.ts';

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
  const decision = decideRetry(tries, cause, context.retry ?? defaultRetryPolicy, context.random());
  if (decision.kind === 'give-up') throw gaveUp(failed);
  context.onRetry?.({ table, items, cause, delayMs: decision.delayMs });
  await context.sleep(decision.delayMs, signal).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
  signal?.throwIfAborted();
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
