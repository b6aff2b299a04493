import type { LimiterStatus, SlowReason } from '../capacity/capacity-limiter.ts';
import type { RetryCause } from '../store/retry-policy.ts';
import type { FailureReason } from './dead-letter.ts';

export interface TableProgress extends LimiterStatus {
  readonly table: string;
  /** Requests acknowledged by the store. */
  readonly written: number;
  readonly deadLettered: number;
  /** Units consumed so far, index writes included. */
  readonly consumedUnits: number;
  /** Requests that were refused for want of capacity, each time counted. */
  readonly refused: number;
  /** Times that a request was sent again. */
  readonly retried: number;
}

export interface WriteProgress {
  /** Requests read from the source. */
  readonly read: number;
  readonly written: number;
  readonly deadLettered: number;
  /** Read, but neither written nor dead-lettered yet. */
  readonly outstanding: number;
  readonly elapsedMs: number;
  readonly tables: readonly TableProgress[];
}

/** What a run of the writer tells while it works. Items are never part of it; keys are. */
export type WriteEvent =
  | { readonly kind: 'progress'; readonly progress: WriteProgress }
  /** The table's work goes slower than it could from here on, and why; undefined: at full speed again. */
  | { readonly kind: 'pace'; readonly table: string; readonly slow: SlowReason | undefined }
  | {
      readonly kind: 'retry';
      readonly table: string;
      readonly requests: number;
      readonly cause: RetryCause;
      readonly delayMs: number;
    }
  | {
      readonly kind: 'dead-letter';
      readonly table: string;
      readonly key: string;
      readonly reason: FailureReason;
      readonly attempts: number;
    };
