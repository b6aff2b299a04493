import type { Migration } from '../../core/migrate/define-migration.ts';
import type { Pass } from '../../core/migrate/ledger-records.ts';
import type { PassProgress } from '../../core/migrate/migrate-event.ts';
import type { MigrateEnvironment } from './environment.ts';
import type { FencedLedger } from './ledger.ts';
import type { LedgerReader } from './ledger-reader.ts';

/** One migration being worked on, under the lock. */
export interface RunContext {
  readonly environment: MigrateEnvironment;
  readonly ledger: FencedLedger;
  readonly reader: LedgerReader;
  readonly migration: Migration;
  readonly id: string;
  readonly generation: number;
  /** First Ctrl-C, or the lock is lost. */
  readonly stop: AbortSignal;
  readonly whilePaused: () => Promise<void>;
  /** Takes a sample for the report. */
  readonly sample: (pass: Pass, progress: PassProgress) => void;
}
