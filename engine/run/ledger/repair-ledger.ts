import { stateRecord } from '../../../tables/model/ledger/migration-records.ts';
import { setMembers } from '../../core/ledger/ledger-write.ts';
import { type PlannedMending, planRepair } from '../../core/ledger/plan-repair.ts';
import { LedgerSurvey } from '../../core/ledger/survey.ts';
import { ledgerProblems } from '../../core/migrate/decide-runs.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { repairOf } from '../../core/migrate/repair-state.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { acceptSource } from '../migrate/run-migrations.ts';
import { scanPages } from '../store/read-pages.ts';
import { unpacked } from './journal-entries.ts';
import { ledgerOf } from './ledger-store.ts';
import { rebuildLock } from './lock.ts';
import { type Session, withLock } from './session.ts';

export interface Repair {
  readonly id: string;
  readonly what: string;
}

/** A damaged record, what was wrong with it, and what became of it. */
export interface MendedRecord extends Pick<PlannedMending, 'key' | 'record' | 'problems' | 'means'> {
  /** `changed`: somebody wrote it in that moment, so it was left alone. */
  readonly outcome: PlannedMending['outcome'] | 'changed';
}

export interface RepairReport {
  readonly damaged: readonly MendedRecord[];
  readonly repaired: readonly Repair[];
  /** Keys in the ledger's table that this version knows no record for; left as they are. */
  readonly strange: readonly string[];
  /** Where ledger and files still contradict each other. */
  readonly left: readonly string[];
}

/**
 * Rebuilds or drops damaged records, and puts right what a dead runner or a changed file left in the ledger. Holding the lock
 * proves that nobody migrates; whoever else may write a record meanwhile is noticed by its guard.
 */
export async function repairLedger(
  environment: MigrateEnvironment,
  sources: readonly MigrationSource[],
  signal: AbortSignal,
): Promise<RepairReport> {
  const lock = await rebuildLock(environment);
  return withLock(environment, 'repair', signal, async (session) => {
    const survey = await surveyLedger(environment, session.stop);
    const at = new Date(environment.nowMs()).toISOString();
    const damaged: MendedRecord[] = lock === undefined ? [] : [lock];
    for (const planned of planRepair(survey, sources, at)) damaged.push(await mend(session, planned));
    const repaired = await repairStates(session, sources);
    const left = [...unmended(damaged), ...ledgerProblems(sources, await session.reader.states())];
    return { damaged, repaired, strange: survey.strange, left };
  });
}

/** Reads the whole ledger: damage may be in partitions that only the lost record named. */
async function surveyLedger(environment: MigrateEnvironment, signal: AbortSignal): Promise<LedgerSurvey> {
  const { ledger: store, gates, sleep, random, codec } = environment;
  const survey = new LedgerSurvey((bytes) => unpacked(codec, bytes)?.length);
  const request = { TableName: ledgerOf(environment).table, ConsistentRead: true };
  for await (const page of scanPages({ store, gates: gates.read, sleep, random }, request, signal)) {
    for (const item of page.items) survey.add(item);
  }
  return survey;
}

async function mend({ ledger, history }: Session, planned: PlannedMending): Promise<MendedRecord> {
  const { key, record, problems, means, migration, write, seen } = planned;
  const detail = `${key} ${planned.outcome}: ${means}`;
  const told = migration === undefined ? [] : [history(migration, 'repaired', detail)];
  const done = await ledger.commitIf(seen, write, ...told);
  return { key, record, problems, means, outcome: done ? planned.outcome : 'changed' };
}

function unmended(damaged: readonly MendedRecord[]): readonly string[] {
  return damaged
    .filter(({ outcome }) => outcome === 'changed')
    .map(({ key }) => `${key}: somebody wrote it in this moment; run 'tablewright repair' again`);
}

async function repairStates(session: Session, sources: readonly MigrationSource[]): Promise<readonly Repair[]> {
  const repaired: Repair[] = [];
  for (const record of await session.reader.states()) {
    const { id } = record;
    const source = sources.find(({ migration }) => migration.id === id);
    const repair = repairOf(record, source);
    if (repair === undefined) continue;
    const { kind, text } = repair;
    if (kind === 'accept' && source !== undefined) await acceptSource(session, source);
    else {
      const write = setMembers(stateRecord, { id }, { state: kind === 'forget' ? 'forgotten' : 'interrupted' });
      await session.ledger.commit([write, session.history(id, 'repaired', text)]);
    }
    repaired.push({ id, what: text });
  }
  return repaired;
}
