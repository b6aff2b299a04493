import type { Pass } from '../../../tables/model/ledger/migration-records.ts';
import type { Migration } from '../../core/migrate/define-migration.ts';
import type { PassProgress } from '../../core/migrate/migrate-event.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import type { Session } from '../ledger/session.ts';
import type { Timeline } from './timeline.ts';

/** One generation of a migration, under the lock; its file need not be there. */
export interface StepContext extends Session {
  readonly id: string;
  readonly generation: number;
}

/** One migration being worked on, under the lock. */
export interface RunContext extends StepContext {
  readonly migration: Migration;
  /** Takes a sample for the report. */
  readonly sample: (pass: Pass, progress: PassProgress) => void;
}

export function runContext(session: Session, { migration }: MigrationSource, generation: number, timeline: Timeline): RunContext {
  const { id } = migration;
  const { ledger } = session;
  const sample: RunContext['sample'] = (pass, progress) => {
    timeline.add(pass, progress);
    // It is for people to look at: what ends the run is found out by those who write what counts.
    if (timeline.isDue()) void ledger.commit([timeline.write(id, ledger.lease.token)]).catch(() => undefined);
  };
  return { ...session, migration, id, generation, sample };
}

/** The key of a step's record. */
export const stepOf = ({ id: migration, generation }: StepContext, step: number) => ({ migration, generation, step });
