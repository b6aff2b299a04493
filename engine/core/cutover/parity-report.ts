import type { DifferenceKind } from './compare-answers.ts';
import type { Cause } from './likely-cause.ts';
import type { PartitionValue } from './partition-values.ts';

/** A record that the two ways answer differently, still so when looked at again. */
export interface ParityDifference {
  readonly kind: DifferenceKind;
  readonly value: PartitionValue;
  /** The record's primary key, as people read it. */
  readonly key: string;
  readonly cause: Cause;
  readonly detail: string;
}

/** What one read costs each way, in read units; eventually consistent, as an application reads. */
export interface ReadCost {
  /** Of a read by the old form: a full Scan, or the Query on the index before. */
  readonly scan: number;
  /** Of a Query (or GetItem): the average over all values, and the dearest. */
  readonly query: number;
  readonly queryMax: number;
}

/** Milliseconds of one read each way, its requests alone: of the value with the most records. */
export interface ReadLatency {
  readonly scan: number;
  readonly query: number;
}

/**
 * `holds`: every value gave the same answer both ways. `differs`: some did not, even when looked at again. `unsettled`: no
 * lasting difference, but some records changed at each look, so nothing is proven. `not-readable`: the index is not ACTIVE.
 */
export type ParityOutcome = 'holds' | 'differs' | 'unsettled' | 'not-readable';

export interface ParityReport {
  readonly pattern: string;
  readonly outcome: ParityOutcome;
  readonly index: string | null;
  readonly indexStatus: string;
  /** Partition values compared. */
  readonly values: number;
  /** Records that the old way gives, over all values. */
  readonly records: number;
  readonly differences: readonly ParityDifference[];
  /** There are more; the check stopped looking. */
  readonly truncated: boolean;
  /** Keys of records that changed at each look. */
  readonly unsettled: readonly string[];
  /** First differences that were gone at the second look: other writers at work. */
  readonly settled: number;
  readonly cost: ReadCost;
  /** Null where nobody took the time, or nothing was read. */
  readonly latency: ReadLatency | null;
  /** Read units that the check itself took. */
  readonly units: number;
}
