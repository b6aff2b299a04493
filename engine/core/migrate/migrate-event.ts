import type { MigrationState, Pass, RefusalCount, Slowness } from '../../../tables/model/ledger/migration-records.ts';
import type { LimiterStatus, SlowReason } from '../capacity/capacity-limiter.ts';
import type { RingingAlarm } from './alarms.ts';
import type { ConsumedUnits, Counts } from './counts.ts';

export interface PassProgress {
  readonly migration: string;
  readonly step: string;
  readonly pass: Pass;
  readonly table: string;
  /** Of this run and those before it that it goes on with. */
  readonly counts: Counts;
  readonly units: ConsumedUnits;
  /** Of those before it alone. */
  readonly earlier: { readonly counts: Counts; readonly units: ConsumedUnits };
  readonly segments: number;
  readonly segmentsDone: number;
  /** Items that DynamoDB last counted in the table; 0 when it does not know. */
  readonly expected: number;
  readonly elapsedMs: number;
  readonly throttles: number;
  /** Of the throttles: why, as far as DynamoDB says. */
  readonly refusals: readonly RefusalCount[];
  readonly write: LimiterStatus;
  readonly read: LimiterStatus;
  /** Why it is slow, as workers elsewhere have written it down. */
  readonly told?: Slowness | undefined;
  /** Why it holds still at present. */
  readonly heldBy?: string | undefined;
}

/** What a run tells while it works. Items are never part of it; keys are. */
export type MigrateEvent =
  | { readonly kind: 'lock-taken'; readonly token: number; readonly takenOver: string | undefined }
  | { readonly kind: 'migration-started'; readonly migration: string; readonly description: string; readonly resumed: boolean }
  | {
      readonly kind: 'step-started';
      readonly migration: string;
      readonly step: string;
      readonly pass: Pass;
      readonly segments: number;
    }
  | { readonly kind: 'progress'; readonly progress: PassProgress }
  | { readonly kind: 'pace'; readonly table: string; readonly what: 'read' | 'write'; readonly slow: SlowReason | undefined }
  | { readonly kind: 'retry'; readonly table: string; readonly items: number; readonly cause: string; readonly delayMs: number }
  | { readonly kind: 'paused'; readonly by: string }
  | { readonly kind: 'resumed' }
  /** An alarm rings: nothing is begun until it no longer does. */
  | { readonly kind: 'held'; readonly by: string; readonly alarms: readonly RingingAlarm[] }
  | { readonly kind: 'released' }
  /** The alarms cannot be read; `held`: the run goes on holding still. */
  | { readonly kind: 'alarms-unseen'; readonly message: string; readonly held: boolean }
  | { readonly kind: 'alarms-seen' }
  /** The reason may quote the item, so it is in the ledger and in the dead letter file only. */
  | { readonly kind: 'dead-letter'; readonly migration: string; readonly table: string; readonly key: string }
  | {
      readonly kind: 'leftovers';
      readonly migration: string;
      readonly step: string;
      readonly count: number;
      readonly keys: readonly string[];
    }
  | { readonly kind: 'message'; readonly migration: string; readonly step: string; readonly message: string }
  | {
      readonly kind: 'step-done';
      readonly migration: string;
      readonly step: string;
      readonly pass: Pass;
      readonly counts: Counts;
      readonly units: ConsumedUnits;
      readonly elapsedMs: number;
    }
  | {
      readonly kind: 'migration-done';
      readonly migration: string;
      readonly state: MigrationState;
      readonly counts: Counts;
      readonly units: ConsumedUnits;
    };
