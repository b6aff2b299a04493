import type { LeaseRecord, PauseRecord } from '../../../tables/model/ledger/lock-records.ts';
import type { StateRecord } from '../../../tables/model/ledger/migration-records.ts';
import { ledgerProblems } from '../../core/migrate/decide-runs.ts';
import { type Phase, phaseOf } from '../../core/migrate/define-migration.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { LedgerReader } from '../ledger/ledger-reader.ts';
import { readLease } from '../ledger/lock.ts';
import type { MigrateEnvironment } from './environment.ts';
import { totalsOf } from './state-writer.ts';

/** A migration of the files or of the ledger. */
export interface MigrationEntry {
  readonly id: string;
  readonly phase: Phase | null;
  readonly state: string;
  readonly record: StateRecord | null;
  /** Its file is there. */
  readonly file: boolean;
}

export interface MigrationsStatus {
  readonly migrations: readonly MigrationEntry[];
  /** Who holds the lock at present. */
  readonly lock: LeaseRecord | null;
  readonly paused: PauseRecord | null;
  readonly problems: readonly string[];
}

/** How every migration stands, who works, and what is at odds; what goes on with `present` counts, or as it was `recorded` when it began. */
export async function readStatus(
  environment: MigrateEnvironment,
  sources: readonly MigrationSource[],
  counted: 'present' | 'recorded' = 'present',
): Promise<MigrationsStatus> {
  const reader = new LedgerReader(environment);
  const states = await reader.states();
  const lease = await readLease(environment);
  const paused = await reader.pause();
  const isHeld = lease !== undefined && lease.leaseUntil > environment.nowMs();
  const known = new Map(states.map((record) => [record.id, record]));
  const found = new Map(sources.map(({ migration }) => [migration.id, migration]));
  const ids = [...new Set([...found.keys(), ...known.keys()])].toSorted();
  const migrations = await Promise.all(
    ids.map(async (id): Promise<MigrationEntry> => {
      const record = known.get(id);
      const migration = found.get(id);
      const shown = record !== undefined && counted === 'present' ? await withPresentCounts(reader, record) : record;
      const phase = migration === undefined ? null : phaseOf(migration);
      return { id, phase, state: stateOf(record, isHeld), record: shown ?? null, file: migration !== undefined };
    }),
  );
  return { migrations, lock: isHeld ? lease : null, paused: paused ?? null, problems: ledgerProblems(sources, states) };
}

function stateOf(record: StateRecord | undefined, isHeld: boolean): string {
  if (record === undefined) return 'pending';
  // Nobody holds the lock, so nobody is working on it.
  return record.state === 'running' && !isHeld ? 'interrupted' : record.state;
}

/** What an unfinished run has done is in its checkpoints; its record is written when it begins and when it ends. */
async function withPresentCounts(reader: LedgerReader, record: StateRecord): Promise<StateRecord> {
  if (record.state !== 'running') return record;
  return { ...record, ...totalsOf(await reader.allSegments(record.id)), dead: (await reader.dead(record.id)).length };
}
