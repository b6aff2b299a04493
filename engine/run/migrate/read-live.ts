import type { DeadRecord, LiveRecord, SegmentRecord } from '../../../tables/model/ledger/migration-records.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { LedgerReader } from '../ledger/ledger-reader.ts';
import type { MigrateEnvironment } from './environment.ts';
import { type MigrationEntry, type MigrationsStatus, readStatus } from './read-status.ts';

/** What the ledger tells of the migration that is being worked on, or was when its runner was last heard of. */
export interface LiveRun {
  readonly migration: string;
  /** What its runner told last; null where it has told nothing in this run. */
  readonly live: LiveRecord | null;
  /** Of the pass that it is in. */
  readonly segments: readonly SegmentRecord[];
  readonly dead: readonly DeadRecord[];
}

export interface LiveStatus extends MigrationsStatus {
  readonly run: LiveRun | null;
}

/** How it goes at this moment, wherever it runs: of the ledger alone. */
export async function readLive(environment: MigrateEnvironment, sources: readonly MigrationSource[]): Promise<LiveStatus> {
  const status = await readStatus(environment, sources);
  // `applied` is between its backfill and the end of its verify pass, as long as somebody holds the lock.
  const open = status.lock === null ? ['interrupted', 'rolling-back'] : ['running', 'rolling-back', 'applied'];
  const [first] = open.flatMap((state) => status.migrations.filter((entry) => entry.state === state));
  return { ...status, run: first === undefined ? null : await readRun(new LedgerReader(environment), first, status) };
}

async function readRun(reader: LedgerReader, { id, record }: MigrationEntry, { lock }: MigrationsStatus): Promise<LiveRun> {
  const [told, all, dead] = await Promise.all([reader.live(id), reader.allSegments(id), reader.dead(id)]);
  // What an earlier run told is not how this one goes.
  const live = told !== undefined && (lock === null || told.token === lock.token) ? told : null;
  const pass = live?.pass ?? 'apply';
  const own = all.filter((segment) => segment.pass === pass && segment.generation === (record?.generation ?? 1));
  const last = Math.max(0, ...own.map(({ step }) => step));
  return { migration: id, live, segments: own.filter(({ step }) => step === last), dead };
}
