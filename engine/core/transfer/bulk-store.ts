/** DynamoDB's bulk put (API reference, StartBulkPutItems and its siblings), in plain values. Times are ISO texts. */
export interface BulkStore {
  /** What decides whether DynamoDB would take a bulk put into the table; undefined when there is no such table. */
  tableState(tableName: string, signal?: AbortSignal): Promise<BulkTableState | undefined>;
  start(request: BulkRequest, signal?: AbortSignal): Promise<string>;
  /** Undefined when DynamoDB does not know it. */
  describe(arn: string, signal?: AbortSignal): Promise<BulkOperation | undefined>;
  /** Those that were started no earlier than this, with what is needed to tell them apart. */
  startedSince(time: string, signal?: AbortSignal): Promise<readonly BulkOperation[]>;
  cancel(arn: string, signal?: AbortSignal): Promise<void>;
}

export interface BulkTableState {
  readonly status: string;
  readonly replicas: readonly string[];
  /** Indexes that are being made or deleted. */
  readonly unsettledIndexes: readonly string[];
}

export interface BulkRequest {
  readonly tableName: string;
  readonly bucket: string;
  /** Holds the input and nothing else; ends with a slash. */
  readonly inputPrefix: string;
  readonly outputPrefix: string;
  readonly maxWriteUnits: number;
  /** For eight hours the same token with the same parameters starts nothing new. */
  readonly clientToken: string;
}

export type BulkStatus = 'IN_PROGRESS' | 'COMPLETED' | 'COMPLETED_WITH_ERRORS' | 'CANCELLING' | 'CANCELLED' | 'FAILED';

export interface BulkOperation {
  readonly arn: string;
  readonly status: BulkStatus;
  readonly clientToken: string | undefined;
  readonly startedAt: string | undefined;
  readonly processedItems: number;
  readonly failedItems: number;
  readonly processedBytes: number;
  /** Unknown until DynamoDB has looked at all input. */
  readonly totalBytes: number | undefined;
  /** What it is billed by, indexes included. */
  readonly putBytes: number | undefined;
  readonly failure: { readonly code: string; readonly message: string } | undefined;
}

/** API reference, StartBulkPutItems: MaxWriteRequestUnits is at least this. */
export const leastBulkRate = 1_024;
/** Developer Guide, "Quotas for bulk put items": at most this many objects, of at most 5 GB. */
export const maxBulkObjects = 50_000;
/** API reference, StartBulkPutItems: a token holds for eight hours; a part of an hour is left for clocks that differ. */
export const tokenHoldsMs = 7.5 * 3_600_000;

/** Why DynamoDB would refuse (Developer Guide, "Bulk put items considerations"). */
export function bulkProblems(state: BulkTableState): readonly string[] {
  const { status, replicas, unsettledIndexes } = state;
  return [
    ...(replicas.length === 0 ? [] : [`it is a global table (replicas in ${replicas.join(', ')}), and bulk put takes none`]),
    ...(unsettledIndexes.length === 0 ? [] : [`its indexes ${unsettledIndexes.join(', ')} are being made or deleted`]),
    ...(status === 'ACTIVE' ? [] : [`it is ${status}, and has to be ACTIVE`]),
  ];
}
