import type { Item } from '../../../tables/model/attribute-value.ts';
import type { RetryCause } from '../store/retry-policy.ts';
import type { Store, TransactEntry } from '../store/store.ts';
import type { ThrottlingReason } from '../store/throttling.ts';
import type { PartiqlStatement } from './statement.ts';

/** Not taken, or not known to be; it may go again. Whatever no repetition can mend is thrown instead. */
export interface CallFailure {
  readonly kind: 'failed';
  readonly cause: Exclude<RetryCause, 'unprocessed'>;
  readonly message: string;
  /** Of what was throttled, as far as the store says. */
  readonly reasons?: readonly ThrottlingReason[];
}

export type WriteAnswer =
  | { readonly kind: 'done' }
  /** Its guard did not hold. The item as it is now, where the server says so. */
  | { readonly kind: 'refused'; readonly item: Item | undefined }
  | {
      readonly kind: 'again';
      readonly cause: Exclude<RetryCause, 'unprocessed'>;
      readonly reasons?: readonly ThrottlingReason[];
    }
  /** DynamoDB will never take it. */
  | { readonly kind: 'invalid'; readonly message: string };

export type StatementsOutcome =
  | { readonly kind: 'answered'; readonly answers: readonly WriteAnswer[]; readonly consumed: number | undefined }
  | CallFailure;

/** One guarded write of a few entries that go together; its answer, never an exception that a repetition could mend. */
export type EntriesOutcome =
  | {
      readonly kind: 'answered';
      readonly answer: WriteAnswer;
      readonly failedAt: number;
      /** Undefined where the server does not say, as of what was refused. */
      readonly consumed: number | undefined;
    }
  | CallFailure;

export interface Backups {
  /** Undefined where the server has no such thing. */
  readonly pointInTimeRecovery: boolean | undefined;
}

/** What may be called without changing anything; all that a plan or a dry run ever gets. */
export interface ReadStore extends Pick<Store, 'getItem' | 'query' | 'scan' | 'batchGet' | 'describeTable'> {
  backups(tableName: string, signal?: AbortSignal): Promise<Backups>;
}

/** Calls are made once each; the runner repeats them by its own policy and budget. */
export interface DataStore extends ReadStore {
  /** One statement goes alone: what DynamoDB refuses then comes with its reasons, which those of a batch do not. */
  execute(tableName: string, statements: readonly PartiqlStatement[]): Promise<StatementsOutcome>;
  writeTogether(tableName: string, entries: readonly TransactEntry[]): Promise<EntriesOutcome>;
}
