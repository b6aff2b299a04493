import type { RetryCause } from '../../../tables/model/error.ts';

export type { RetryCause };

export interface RetryPolicy {
  /** Times that a request is sent, the first one included. */
  readonly maxAttempts: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
}

/** About half a minute of waiting in all, on average, before a request is given up. */
export const defaultRetryPolicy: RetryPolicy = { maxAttempts: 14, baseDelayMs: 25, maxDelayMs: 5_000 };

/** A few seconds: for single requests that somebody waits for, and for transactions that met another one. */
export const briefRetryPolicy: RetryPolicy = { maxAttempts: 8, baseDelayMs: 50, maxDelayMs: 5_000 };

/** For records that many change at once: after each try that came too late what is there is read anew. Some ten seconds. */
export const contentionPolicy: RetryPolicy = { maxAttempts: 25, baseDelayMs: 10, maxDelayMs: 1_000 };

/** None: somebody waits for the answer, and the client repeats by itself as often as the application has set it to. */
export const noRetryPolicy: RetryPolicy = { maxAttempts: 1, baseDelayMs: 0, maxDelayMs: 0 };

/** Each of these tries has waited for the client's whole time-out: more would be longer than anybody waits. */
export const maxUnansweredAttempts = 3;

export type RetryDecision =
  | { readonly kind: 'retry'; readonly delayMs: number; readonly cause: RetryCause }
  | { readonly kind: 'give-up'; readonly cause: RetryCause };

/**
 * After the given number of attempts: go again after a delay, or give up. The delay is drawn from the whole range up to a
 * bound that doubles, so that many requests refused together do not come back together.
 */
export function decideRetry(attempts: number, cause: RetryCause, policy: RetryPolicy, random: number): RetryDecision {
  const most = cause === 'no-answer' ? Math.min(maxUnansweredAttempts, policy.maxAttempts) : policy.maxAttempts;
  if (attempts >= most) return { kind: 'give-up', cause };
  const bound = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** Math.max(0, attempts - 1));
  return { kind: 'retry', delayMs: random * bound, cause };
}
