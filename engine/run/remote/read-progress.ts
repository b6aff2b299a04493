import type {
  ConsumedUnits,
  Counts,
  ExecutionRecord,
  MigrationState,
  Pass,
  SegmentRecord,
  Slowness,
  StateRecord,
} from '../../../tables/model/ledger/migration-records.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { noUnits } from '../../core/migrate/counts.ts';
import { LedgerReader } from '../ledger/ledger-reader.ts';
import type { MigrationLedger } from '../ledger/ledger-store.ts';
import { readLease } from '../ledger/lock.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { totalsOf } from '../migrate/state-writer.ts';

/** One migration that an execution has come to. */
export interface RemoteMigration {
  readonly id: string;
  readonly state: MigrationState;
  readonly counts: Counts;
  readonly units: ConsumedUnits;
  /** What its rollback did, once that is done. */
  readonly undone?: StateRecord['undone'];
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
  /** Batches that were refused, of all workers. */
  readonly throttles: number;
  /** Why one of those at work is slow. */
  readonly slow?: Slowness | undefined;
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
  /** What it is at, where that is no pass: the step that waits. */
  readonly step?: string | undefined;
  /** Undefined between two passes. */
  readonly pass: RemotePass | undefined;
  /** Those that it has come to, in order. */
  readonly migrations: readonly RemoteMigration[];
}

/** What the ledger's records say of an execution, by its ARN (`execution.Id`). Rates are the difference of two of these. */
export async function remoteProgress(environment: ProgressEnvironment, execution: string): Promise<RemoteProgress> {
  const reader = new LedgerReader(environment);
  const lease = await readLease(environment);
  const isOurs = lease?.holder === execution;
  const running = isOurs && lease.leaseUntil > environment.nowMs();
  const states = await reader.states();
  const handed = (await Promise.all(states.map(({ id }) => reader.executions(id)))).flat();
  const own = handed.filter(({ executionArn }) => executionArn === execution);
  const token = isOurs ? lease.token : own[0]?.token;
  const last = latestOf(own);
  const { pass } = (running && last !== undefined ? await passOf(environment, reader, last) : undefined) ?? {};
  const waiting = running ? lease.waiting : undefined;
  const migrations = states.filter((record) => record.token === token).map(migrationOf);
  if (waiting === undefined) return { running, token, pass, migrations };
  const step = pass === undefined ? await openStep(reader, migrations) : undefined;
  return { running, token, waiting, ...(step === undefined ? {} : { step }), pass, migrations };
}

/** The name of the step that a migration has come to. */
async function openStep(reader: LedgerReader, migrations: readonly RemoteMigration[]): Promise<string | undefined> {
  const open = migrations.find(({ state }) => state === 'running');
  if (open === undefined) return undefined;
  return (await reader.steps(open.id)).findLast(({ done }) => !done)?.name;
}

/** The pass of one migration that an execution is at, with its units; undefined between two passes. */
export async function executionPass(
  environment: ProgressEnvironment,
  execution: string,
  migration: string,
): Promise<PassOfUnits | undefined> {
  const reader = new LedgerReader(environment);
  const last = latestOf((await reader.executions(migration)).filter(({ executionArn }) => executionArn === execution));
  return last === undefined ? undefined : passOf(environment, reader, last);
}

export interface PassOfUnits {
  readonly pass: RemotePass;
  readonly units: readonly SegmentRecord[];
}

const latestOf = (handed: readonly ExecutionRecord[]): ExecutionRecord | undefined =>
  handed.toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1))[0];

export type ProgressEnvironment = MigrationLedger & Pick<MigrateEnvironment, 'nowMs' | 'tables'>;

function migrationOf({ id, state, counts, units, undone, dead, error }: StateRecord): RemoteMigration {
  return { id, state, counts, units, undone, dead, ...(error === undefined ? {} : { error }) };
}

/** Undefined when all of its units are at their end. */
async function passOf(
  { tables, config }: ProgressEnvironment,
  reader: LedgerReader,
  { migration, generation, step, pass, token, workers = 0, budget = noUnits }: ExecutionRecord,
): Promise<PassOfUnits | undefined> {
  const record = await reader.step(migration, generation, step);
  if (record === undefined) return undefined;
  const all = await reader.units([{ migration, generation, step, pass, segments: record.segments }]);
  const units = all.filter((one) => (pass === 'apply' ? one.segment < record.segments : one.token === token));
  const segmentsDone = units.filter(({ done }) => done).length;
  // Of a rollback there is one more: the journal of retried dead letters.
  const segments = record.segments + (pass === 'rollback' ? 1 : 0);
  if (segmentsDone >= segments) return undefined;
  const table = tables.find(({ name }) => name === record.table);
  const shown: RemotePass = {
    migration,
    step: record.name,
    table: table === undefined ? '' : physicalName(table, config),
    pass,
    generation,
    segments,
    segmentsDone,
    ...totalsOf(units, pass),
    throttles: units.reduce((sum, { pace }) => sum + (pace?.throttles ?? 0), 0),
    slow: units.find(({ done, pace }) => !done && pace?.slow !== undefined)?.pace?.slow,
    workers,
    budget,
  };
  return { pass: shown, units };
}
