import type { ConsumedUnits, Counts, MigrationState, Pass } from '../../../tables/model/ledger/migration-records.ts';
import type { MigrationLedger } from '../ledger/ledger-store.ts';

/** One migration that an execution has come to. */
export interface RemoteMigration {
  readonly id: string;
  readonly state: MigrationState;
  readonly counts: Counts;
  readonly units: ConsumedUnits;
  readonly dead: number;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

/** The pass that workers are at. */
export interface RemotePass {
  readonly migration: string;
  readonly step: string;
  /** The physical name; empty where a rollback no longer knows it. */
  readonly table: string;
  readonly pass: Pass;
  readonly generation: number;
  readonly segments: number;
  readonly segmentsDone: number;
  readonly counts: Counts;
  readonly units: ConsumedUnits;
  readonly workers: number;
  /** Units per second of all workers together; 0 stands for no limit. */
  readonly budget: ConsumedUnits;
}

export interface RemoteProgress {
  /** Does it hold the lock? */
  readonly running: boolean;
  readonly token: number | undefined;
  /** Why it holds still. */
  readonly waiting?: string | undefined;
  /** Undefined between two passes. */
  readonly pass: RemotePass | undefined;
  /** Those that it has come to, in order. */
  readonly migrations: readonly RemoteMigration[];
}

/** What the ledger's records say of an execution, by its ARN (`execution.Id`). Rates are the difference of two of these. */
export async function remoteProgress(_environment: MigrationLedger, _execution: string): Promise<RemoteProgress> {
  throw new TypeError('not written yet');
}
