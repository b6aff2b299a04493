import type { BlobStore } from '../../../core/transfer/blob-store.ts';
import type { BulkOperation, BulkStore } from '../../../core/transfer/bulk-store.ts';
import type { FileCodec } from '../../../core/transfer/codec.ts';
import type { WriteTable } from '../../../core/write/write-request.ts';
import type { LedgerStore } from '../../ledger/ledger-store.ts';
import type { DeadLetterSink } from '../../write/write-options.ts';

/** How often an operation is asked after. */
export const defaultBulkPollMs = 5_000;

export type BulkEvent =
  | { readonly kind: 'staging'; readonly lines: number; readonly of: number }
  | { readonly kind: 'rejected'; readonly place: string; readonly problem: string }
  | { readonly kind: 'started'; readonly arn: string; readonly found: boolean }
  | { readonly kind: 'waiting'; readonly operation: BulkOperation; readonly elapsedMs: number };

export interface BulkEnvironment {
  readonly bulk: BulkStore;
  readonly ledger: LedgerStore;
  /** The bucket that is staged in, seen from its root. */
  readonly bucket: BlobStore;
  readonly codec: FileCodec;
  readonly deadLetters: DeadLetterSink;
  readonly nowMs: () => number;
  readonly steadyMs: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
  /** A new token for an operation that must not run twice. */
  readonly token: () => string;
  readonly onEvent?: ((event: BulkEvent) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly pollMs?: number | undefined;
}

export interface BulkImportRequest {
  readonly table: WriteTable;
  readonly bucketName: string;
  /** Write units a second, of DynamoDB's own limit. */
  readonly rate: number;
  /** Begin anew, whatever an earlier run has started. */
  readonly again: boolean;
  /** Have DynamoDB end what an earlier run has started. */
  readonly cancel: boolean;
  /** About how large the objects are that DynamoDB gets; `defaultObjectBytes` when left out. */
  readonly objectBytes?: number | undefined;
}

export type BulkImportResult =
  | {
      readonly outcome: 'ended';
      readonly operation: BulkOperation;
      readonly already: boolean;
      /** Lines that never were sent, and those that DynamoDB reports as not written. */
      readonly rejected: number;
      readonly reported: number;
    }
  /** There was no line that could be put. */
  | { readonly outcome: 'nothing'; readonly rejected: number }
  /** The operation goes on without us, if it was started; `asked` tells that DynamoDB may have begun although its answer is not known. */
  | { readonly outcome: 'interrupted'; readonly arn: string | undefined; readonly asked: boolean };
