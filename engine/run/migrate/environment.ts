import type { Digest } from '../../../tables/model/canonical.ts';
import type { StackConfig } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import type { Alarms } from '../../core/migrate/alarms.ts';
import type { DataStore, ReadStore } from '../../core/migrate/data-store.ts';
import type { CustomHandle } from '../../core/migrate/define-migration.ts';
import type { TableListeners } from '../../core/migrate/listeners.ts';
import type { MigrateEvent } from '../../core/migrate/migrate-event.ts';
import { defaultRetryPolicy, type RetryPolicy } from '../../core/store/retry-policy.ts';
import type { AddIndexRequest, Store } from '../../core/store/store.ts';
import type { CapacityGates } from '../capacity/capacity-gate.ts';
import type { ReadContext } from '../store/read-pages.ts';
import type { StepTransfer } from './transfer-step.ts';

/** Who runs it; goes to the ledger. */
export interface Actor {
  readonly who: string;
  readonly host: string;
  readonly commit?: string | undefined;
}

/** Packs the journal. Node's own compression is not for this layer to import. */
export interface JournalCodec {
  readonly pack: (text: string) => Uint8Array;
  readonly unpack: (bytes: Uint8Array) => string;
}

export interface MigrateTuning {
  /** Segments of a parallel scan; fixed for a step when it begins. */
  readonly segments: number;
  /** Items of a page: what lies between two checkpoints of a segment. */
  readonly pageItems: number;
  /** Pages of a segment between their decision and their checkpoint; one more is read ahead. */
  readonly pagesInFlight: number;
  /** Batches of 25 that a pass has in flight, divided among its segments; twice as many while a page takes over from the one before it. */
  readonly batchesInFlight: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** A run with more dead letters is taken for broken and stops. */
  readonly maxDeadLetters: number;
  readonly progressEveryMs: number;
  readonly retry: RetryPolicy;
}

/** Begins to make or to drop an index; how far it is, the table's description says. */
export interface IndexMaker {
  add(request: AddIndexRequest, signal?: AbortSignal): Promise<void>;
  drop(tableName: string, index: string, signal?: AbortSignal): Promise<void>;
}

/** Everything that a run needs from outside. */
export interface MigrateEnvironment {
  readonly data: DataStore;
  /** The ledger's store; its client repeats failed calls itself. */
  readonly ledger: Pick<Store, 'getItem' | 'query' | 'scan' | 'transact' | 'batchGet' | 'describeTable'>;
  /** For reads that are no part of a pass. */
  readonly store: Store;
  /** For custom steps: plain objects, within the budgets, until the signal; every call waits for `hold` first. */
  readonly documentClient: (signal: AbortSignal, hold?: () => Promise<void>) => CustomHandle['client'];
  readonly config: StackConfig;
  readonly tables: readonly Table[];
  readonly gates: { readonly read: CapacityGates; readonly write: CapacityGates };
  readonly budget: { readonly read: number; readonly write: number };
  readonly actor: Actor;
  readonly codec: JournalCodec;
  /** Names the dead letter of an item: its key may be longer than the ledger's. */
  readonly digest: Digest;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** A clock that nobody sets, for latencies; they are not taken when left out. */
  readonly steadyMs?: (() => number) | undefined;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
  /** Names a transaction of the ledger; a random UUID when left out. */
  readonly requestToken?: (() => string) | undefined;
  /** Calls again and again until what it returns is called. */
  readonly every: (ms: number, callback: () => void) => () => void;
  /** Lets what else is due go first, in the midst of long work; at once when left out. */
  readonly breathe?: (() => Promise<void>) | undefined;
  readonly emit: (event: MigrateEvent) => void;
  readonly tuning: MigrateTuning;
  /** Calls it as if it were another day, to find out functions that ask the clock; at once when left out. */
  readonly anotherDay?: (<T>(call: () => T) => T) | undefined;
  /** Somebody wants the command to stop: the ledger is not waited for any longer. */
  readonly signal?: AbortSignal | undefined;
  /** Carries out export and import steps. */
  readonly transfer?: StepTransfer | undefined;
  /** Makes and drops indexes; left out on a deployed stack, where Pulumi alone does. */
  readonly indexes?: IndexMaker | undefined;
  /** How far a new index is, in per cent; left out where nobody could say. */
  readonly indexProgress?: ((tableName: string, index: string, signal?: AbortSignal) => Promise<number | undefined>) | undefined;
  /** The alarms that the run holds still for; none when left out. */
  readonly alarms?: Alarms | undefined;
  /** Who hears of a table's changes; left out where nobody could say. */
  readonly listeners?: ((tableName: string, signal?: AbortSignal) => Promise<TableListeners>) | undefined;
  /** Expired items too, whatever the steps say. */
  readonly includeExpired?: boolean | undefined;
}

/** What reads of the tables need, of a run or of a plan. */
export type ReadingEnvironment = Pick<MigrateEnvironment, 'gates' | 'sleep' | 'random' | 'emit'> & {
  readonly data: ReadStore;
  readonly tuning: Pick<MigrateTuning, 'retry'>;
};

/** Reads of the tables, within the run's budget. */
export function readContextOf({ data, gates, sleep, random, emit, tuning }: ReadingEnvironment) {
  const onRetry: ReadContext['onRetry'] = (event) => emit({ kind: 'retry', ...event });
  return { store: data, gates: gates.read, sleep, random, retry: tuning.retry, onRetry };
}

/** What one of the segments of a pass may have in flight. */
export function batchesPerSegment({ tuning }: Pick<MigrateEnvironment, 'tuning'>, segments: number): number {
  return Math.max(1, Math.floor(tuning.batchesInFlight / Math.max(1, segments)));
}

export const defaultTuning: MigrateTuning = {
  segments: 8,
  pageItems: 500,
  pagesInFlight: 2,
  batchesInFlight: 16,
  leaseMs: 30_000,
  heartbeatMs: 3_000,
  maxDeadLetters: 1_000,
  progressEveryMs: 250,
  retry: defaultRetryPolicy,
};
