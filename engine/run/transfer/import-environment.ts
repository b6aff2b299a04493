import type { ReadNames } from '../../core/read/plan-read.ts';
import type { Store } from '../../core/store/store.ts';
import type { FileCodec } from '../../core/transfer/codec.ts';
import type { ItemTransform } from '../../core/transfer/line-requests.ts';
import type { ImportEvent } from '../../core/transfer/transfer-event.ts';
import type { BatchStore } from '../../core/write/batch-outcome.ts';
import type { TableProgress } from '../../core/write/write-event.ts';
import type { WriteTable } from '../../core/write/write-request.ts';
import type { CapacityGates } from '../capacity/capacity-gate.ts';
import type { Clock } from '../capacity/clock.ts';
import type { DeadLetterSink } from '../write/write-options.ts';

/** Data files that are read at once, in turns: exports are sorted by partition, and one file alone would heat one of them. */
export const filesAtOnce = 4;
export const checkpointEveryMs = 1_000;

export interface ImportEnvironment {
  /** Whole items by batches, or one by one under a condition (see `conditionalWriteStore`). */
  readonly writes: BatchStore;
  readonly store: Store;
  /** Whose ledger the checkpoint lies in. */
  readonly names: ReadNames;
  readonly codec: FileCodec;
  readonly gates: CapacityGates;
  /** The read budget of the verify pass. */
  readonly readGates: CapacityGates;
  readonly deadLetters: DeadLetterSink;
  /** Requests that their condition stopped since the run began; none without a condition. */
  readonly skipped?: (() => number) | undefined;
  readonly clock: Clock;
  readonly nowMs: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
  readonly onEvent?: ((event: ImportEvent) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly takeOverWaitMs?: number | undefined;
  readonly concurrency?: number | undefined;
}

/** How a stored item may differ from the export's. */
export type ImportMode =
  | { readonly kind: 'overwrite' }
  | { readonly kind: 'skip-existing' }
  | { readonly kind: 'if-newer'; readonly attribute: string };

export interface ImportRequest {
  readonly table: WriteTable;
  readonly ttl?: string | undefined;
  readonly mode: ImportMode;
  readonly transform?: ItemTransform | undefined;
  /** Mode and transform as one text: an unfinished import goes on only with the same. */
  readonly options: string;
  /** Begin at the beginning, whatever was done before. */
  readonly again: boolean;
  readonly verify: VerifyDepth;
}

export type VerifyDepth = 'none' | 'count' | 'sample' | 'full';

export interface ImportCounts {
  /** Lines of the export that are dealt with, earlier runs included. */
  readonly lines: number;
  readonly written: number;
  readonly skipped: number;
  readonly deadLettered: number;
}

export interface ImportResult extends ImportCounts {
  readonly outcome: 'complete' | 'incomplete' | 'interrupted';
  readonly already: boolean;
  readonly items: number;
  readonly resumedAt: number;
  readonly elapsedMs: number;
  readonly verified: Verification | undefined;
  readonly tables: readonly TableProgress[];
}

export interface Verification {
  readonly depth: Exclude<VerifyDepth, 'none'>;
  readonly compared: number;
  /** By their keys, at most some; `differing` counts all. */
  readonly differences: readonly string[];
  readonly differing: number;
}
