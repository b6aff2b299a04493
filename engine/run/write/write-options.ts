import type { RetryPolicy } from '../../core/store/retry-policy.ts';
import type { BatchStore } from '../../core/write/batch-outcome.ts';
import type { DeadLetter } from '../../core/write/dead-letter.ts';
import type { WriteEvent, WriteProgress } from '../../core/write/write-event.ts';
import type { WriteRequest, WriteTable } from '../../core/write/write-request.ts';
import type { CapacityGates } from '../capacity/capacity-gate.ts';
import type { Clock } from '../capacity/clock.ts';

/** Where requests go that finally fail. The writer waits for it; if it throws, the run stops. */
export interface DeadLetterSink {
  write(letter: DeadLetter): Promise<void>;
}

/** Batches in flight at once, over all tables. */
export const defaultWriteConcurrency = 8;

/** Batches in flight where so many threads send them: each as many as one alone. */
export function concurrencyOf(threads = 1): number {
  return defaultWriteConcurrency * threads;
}
/**
 * Batches' worth of requests that are read ahead of those in flight. With `maxOutstandingBytes` this bounds the memory; more
 * would make no load faster, and items that live longer make the garbage collector let the heap grow.
 */
export const batchesAhead = 4;
/** An upper bound of their bytes on the wire. */
export const maxOutstandingBytes = 64 * 1_024 * 1_024;
/** A batch that is not full goes after this long without another request. */
export const lingerMs = 5;
export const defaultProgressEveryMs = 250;
/** A run with more than these is taken for broken and stops, rather than turn its whole input into dead letters. */
export const defaultMaxDeadLetters = 1_000;

export interface WriteOptions<R extends WriteRequest> {
  readonly store: BatchStore;
  /** Every table that requests may name. */
  readonly tables: readonly WriteTable[];
  /** The budgets; share the same gates between writers that work on the same tables. */
  readonly gates: CapacityGates;
  readonly deadLetters: DeadLetterSink;
  readonly concurrency?: number | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Requests read and not done yet, at most; by default what is in flight and `batchesAhead` more. */
  readonly maxOutstanding?: number | undefined;
  readonly maxDeadLetters?: number | undefined;
  readonly progressEveryMs?: number | undefined;
  /**
   * The store has taken these. Requests of one key come in their order; different keys come in any. What a source has
   * passed on may count as done only after this call; the slot of the batch is held until it returns.
   */
  readonly onAcknowledged?: ((requests: readonly R[]) => void | Promise<void>) | undefined;
  /** The request is in the dead letters now, so it is dealt with, though not written. */
  readonly onDeadLetter?: ((request: R, letter: DeadLetter) => void | Promise<void>) | undefined;
  readonly onEvent?: ((event: WriteEvent) => void) | undefined;
  /** Stops reading and sending; batches in flight are finished and acknowledged. */
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
  /** From 0 up to 1, for the jitter of retries. */
  readonly random?: (() => number) | undefined;
}

/**
 * `complete`: all of the source is written. `incomplete`: some requests are in the dead letters, or there were so many that
 * the run stopped (`outstanding` and the rest of the source are unwritten then). `interrupted`: the signal ended it.
 */
export interface WriteResult extends WriteProgress {
  readonly outcome: 'complete' | 'incomplete' | 'interrupted';
  /** The source was read to its end. */
  readonly exhausted: boolean;
}
