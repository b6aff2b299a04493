import type { TablewrightError } from '../../../tables/model/error.ts';
import type { RetryCause } from '../store/retry-policy.ts';
import type { ThrottlingReason } from '../store/throttling.ts';
import type { WriteRequest, WriteTable } from './write-request.ts';

/** What became of one batch. */
export type BatchOutcome =
  /** Taken, but for the requests at these places. */
  | {
      readonly kind: 'answered';
      readonly unprocessed: readonly number[];
      /** Units consumed by the table and its indexes, if the store says. */
      readonly consumed: number | undefined;
    }
  /** Not taken as a whole, or not known to be; it may go again. */
  | {
      readonly kind: 'failed';
      readonly cause: Exclude<RetryCause, 'unprocessed'>;
      readonly message: string;
      /** Of what was throttled, as far as the store says. */
      readonly reasons?: readonly ThrottlingReason[];
    }
  /** At least one of its requests is one that the store never takes. */
  | { readonly kind: 'invalid'; readonly code: string; readonly message: string }
  /** No request of this table can succeed. */
  | { readonly kind: 'fatal'; readonly error: TablewrightError };

/** The store as the writer sees it: sends one batch of one table's requests, once. Never throws. */
export interface BatchStore {
  send(table: WriteTable, requests: readonly WriteRequest[]): Promise<BatchOutcome>;
}
