import { type Repeatable, type RetryCause, TablewrightError } from '../../../tables/model/error.ts';
import type { UseOutcome } from '../../core/capacity/capacity-limiter.ts';
import { decideRetry, defaultRetryPolicy, type RetryPolicy } from '../../core/store/retry-policy.ts';
import type { CapacityGate, CapacityGates } from '../capacity/capacity-gate.ts';

export interface RetryEvent {
  readonly table: string;
  /** Keys that go again; 0 of a page. */
  readonly items: number;
  readonly cause: RetryCause;
  readonly delayMs: number;
}

/** What reading a table needs beside the store: its budget, time, and chance for the jitter. */
export interface ReadContext {
  /** The read budgets; without a limit where there is none. */
  readonly gates: CapacityGates;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly retry?: RetryPolicy | undefined;
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
}

/** One request, as large as the budget allows at this moment. */
export interface Attempt<A> {
  /** Expected units. */
  readonly estimate: number;
  readonly send: (signal?: AbortSignal) => Promise<A>;
  /** Told of every answer, before the next request of the table is sized. */
  readonly learn: (answer: A) => void;
  /** Units of the answer that were refused for want of capacity. */
  readonly refused?: (answer: A) => number;
}

/**
 * Sends a read through its table's gate, and again by the one retry policy while its failure allows it. An abort ends every
 * wait at once; the signal's reason is thrown then.
 */
export async function sendRead<A extends { readonly units: number }>(
  context: ReadContext,
  table: string,
  prepare: (gate: CapacityGate) => Attempt<A>,
  signal?: AbortSignal,
): Promise<A> {
  const gate = context.gates.of(table);
  for (let tries = 0; ; ) {
    const outcome = await sendOnce(gate, prepare(gate), signal);
    if (outcome.kind === 'answer') return outcome.answer;
    tries += outcome.repeatable.tries;
    await waitBefore(context, { table, items: 0, cause: outcome.repeatable.cause, tries, failure: outcome.error }, signal);
  }
}

type Sent<A> =
  | { readonly kind: 'answer'; readonly answer: A }
  | { readonly kind: 'failed'; readonly repeatable: Repeatable; readonly error: TablewrightError };

async function sendOnce<A extends { readonly units: number }>(
  gate: CapacityGate,
  { estimate, send, learn, refused }: Attempt<A>,
  signal: AbortSignal | undefined,
): Promise<Sent<A>> {
  const reservation = await gate.enter(estimate, signal, { measured: true });
  if (reservation === undefined) throw signal?.reason;
  let cost: UseOutcome = { kind: 'unknown' };
  try {
    const answer = await unlessAborted(send, signal);
    // A server that does not say what it consumed is counted by the estimate.
    const consumed = answer.units > 0 ? answer.units : undefined;
    cost = { kind: 'answered', consumed, refused: Math.min(estimate, refused?.(answer) ?? 0) };
    learn(answer);
    return { kind: 'answer', answer };
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof TablewrightError) || error.repeatable === undefined) throw error;
    if (error.repeatable.cause === 'throttled') cost = { kind: 'answered', consumed: 0, refused: estimate };
    return { kind: 'failed', repeatable: error.repeatable, error };
  } finally {
    gate.leave(reservation, cost);
  }
}

/**
 * A read that nobody waits for any longer may end as it likes. The client gets a signal of its own, so that a caller's has one
 * listener a request: Node warns of more than ten.
 */
function unlessAborted<A>(send: (signal?: AbortSignal) => Promise<A>, signal: AbortSignal | undefined): Promise<A> {
  if (signal === undefined) return send();
  signal.throwIfAborted();
  const own = new AbortController();
  return new Promise<A>((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason);
      own.abort(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    send(own.signal)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
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
export async function waitBefore(context: ReadContext, failed: Failed, signal: AbortSignal | undefined): Promise<void> {
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
    return new TablewrightError('STORE_FAILED', `${table}: ${items} records were still unread after ${tries} tries`, {
      next: 'The table is short of read capacity: raise it or read less at once, then run the command again.',
    });
  }
  const what = failure.repeatable?.what ?? failure.message;
  return new TablewrightError(failure.code, tries > 1 ? `${what}, after ${tries} tries` : what, {
    ...(failure.next === undefined ? {} : { next: failure.next }),
    cause: failure,
  });
}
