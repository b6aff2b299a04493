import type { Pass } from '../../../tables/tablewright/migration-records.ts';
import type { Migration } from '../../core/migrate/define-migration.ts';
import type { PassProgress } from '../../core/migrate/migrate-event.ts';
import type { Session } from '../ledger/session.ts';

/** One migration being worked on, under the lock. */
export interface RunContext extends Session {
  readonly migration: Migration;
  readonly id: string;
  readonly generation: number;
  /** Takes a sample for the report. */
  readonly sample: (pass: Pass, progress: PassProgress) => void;
}
