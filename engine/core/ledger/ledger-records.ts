import type { JsonItem } from '../item/dynamo-json.ts';
import type { ConsumedUnits, Counts } from '../migrate/counts.ts';

export type MigrationState =
  | 'running'
  | 'interrupted'
  | 'failed'
  | 'incomplete'
  | 'applied'
  | 'verified'
  | 'rolling-back'
  | 'rolled-back';

/** One a migration and stack. */
export interface StateRecord {
  readonly id: string;
  readonly description: string;
  readonly state: MigrationState;
  /** Of the source when it was run last. */
  readonly checksum: string;
  /** Counts the runs from the start; checkpoints and journal chunks belong to one. */
  readonly generation: number;
  readonly who: string;
  readonly host: string;
  readonly commit?: string;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly finishedAt?: string;
  readonly verifiedAt?: string;
  readonly token: number;
  readonly counts: Counts;
  readonly units: ConsumedUnits;
  readonly dead: number;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Done with, as far as order goes. */
export const settledStates: readonly MigrationState[] = ['applied', 'verified'];

export type Pass = 'apply' | 'verify' | 'rollback';

export interface StepRecord {
  readonly step: number;
  readonly name: string;
  readonly kind: string;
  readonly segments: number;
  readonly done: boolean;
  /** Of custom code. */
  readonly checkpoint?: unknown;
}

/** A work unit: everything that is needed to go on with a segment, as plain data. */
export interface SegmentUnit {
  readonly migration: string;
  readonly generation: number;
  readonly step: number;
  readonly pass: Pass;
  readonly segment: number;
  readonly segments: number;
}

/** How far a work unit has got; its result when `done`. */
export interface SegmentRecord extends SegmentUnit {
  /** The last key that is dealt with, as DynamoDB JSON. */
  readonly cursor?: JsonItem;
  readonly done: boolean;
  readonly counts: Counts;
  readonly units: ConsumedUnits;
  /** Number of journal chunks that lie before the cursor. */
  readonly chunks: number;
  /** Keys of the first few items that a verify pass found left over. */
  readonly leftovers: readonly string[];
  readonly token: number;
}

export interface DeadRecord {
  readonly step: number;
  readonly key: JsonItem;
  readonly shownKey: string;
  readonly table: string;
  readonly reason: string;
  readonly at: string;
}

export type HistoryKind =
  | 'started'
  | 'resumed'
  | 'started-over'
  | 'step-done'
  | 'applied'
  | 'verified'
  | 'incomplete'
  | 'failed'
  | 'interrupted'
  | 'rollback-started'
  | 'rolled-back'
  | 'retried'
  | 'accepted'
  | 'repaired';

export interface HistoryRecord {
  readonly at: string;
  readonly kind: HistoryKind;
  readonly who: string;
  readonly host: string;
  readonly token: number;
  readonly detail: string;
}

/** One moment of a run, totals since its start. */
export interface Sample {
  readonly ms: number;
  readonly scanned: number;
  readonly changed: number;
  readonly read: number;
  readonly write: number;
  readonly throttles: number;
}

export interface TimelineRecord {
  readonly startedAt: string;
  readonly pass: Pass;
  readonly budget: { readonly read: number; readonly write: number };
  readonly samples: readonly Sample[];
}

export interface LeaseRecord {
  /** Only ever grows; every ledger write names it. */
  readonly token: number;
  readonly holder: string;
  readonly since: string;
  readonly leaseUntil: number;
  readonly doing: string;
}

export interface PauseRecord {
  readonly by: string;
  readonly at: string;
}
