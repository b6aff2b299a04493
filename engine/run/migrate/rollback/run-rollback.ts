import { type StateRecord, stateRecord } from '../../../../tables/model/ledger/migration-records.ts';
import { ledgerKey } from '../../../core/ledger/ledger-codec.ts';
import { damagedLedger } from '../../../core/ledger/ledger-errors.ts';
import { decideRollback, notUndoable, type PlannedRollback } from '../../../core/migrate/decide-rollback.ts';
import { gapError } from '../../../core/migrate/journal-gaps.ts';
import type { MigrationSource } from '../../../core/migrate/migration-set.ts';
import { LedgerReader } from '../../ledger/ledger-reader.ts';
import { type Session, withLock } from '../../ledger/session.ts';
import { untilStopped } from '../../store/until-stopped.ts';
import type { MigrateEnvironment } from '../environment.ts';
import { refuseWhilePaused } from '../pause-runs.ts';
import { type RollbackResult, rollbackMigration } from './rollback-migration.ts';
import { type SurveyedMigration, surveyMigration } from './survey-journal.ts';

export interface RollbackReport {
  readonly outcome: 'done' | 'interrupted';
  readonly results: readonly RollbackResult[];
}

export interface RollbackOptions {
  /** Restore what the journal has where a part of it is missing. */
  readonly acceptGaps?: boolean | undefined;
}

export async function runRollback(
  environment: MigrateEnvironment,
  sources: readonly MigrationSource[],
  to: string | undefined,
  signal: AbortSignal,
  options: RollbackOptions = {},
  hold: typeof withLock = withLock,
): Promise<RollbackReport> {
  const reader = new LedgerReader(environment);
  if (hold === withLock) await refuseWhilePaused(reader);
  await refuseLostStates(reader, sources);
  if (hold === withLock && decideRollback(sources, await reader.states(), to).length === 0)
    return { outcome: 'done', results: [] };
  return hold(environment, 'rollback', signal, async (session) => {
    const chosen = leftToUndo(sources, await reader.states(), to, session);
    if (session.elsewhere?.stopping === true) return { outcome: 'interrupted', results: [] };
    const surveyed = await untilStopped(surveyAll(session, chosen), session.stop);
    if (surveyed === undefined) return { outcome: 'interrupted', results: [] };
    // Whoever has lost the lock meanwhile may have seen another's work half done: that is what it is told, not what it saw.
    await session.ledger.heartbeat();
    refuseUndoing(surveyed, options);
    return rollbackInOrder(session, surveyed);
  });
}

/** An execution comes by several times: what it has undone was chosen too, or the one before would be the last one now. */
function leftToUndo(
  sources: readonly MigrationSource[],
  states: readonly StateRecord[],
  to: string | undefined,
  { ledger, elsewhere }: Session,
): readonly PlannedRollback[] {
  const done = states.filter(
    ({ state, token }) => elsewhere !== undefined && state === 'rolled-back' && token === ledger.lease.token,
  );
  const before = states.map((record): StateRecord => (done.includes(record) ? { ...record, state: 'rolling-back' } : record));
  return decideRollback(sources, before, to).filter(({ state: { id } }) => !done.some((record) => record.id === id));
}

/** A state that is gone makes a migration look as if it had never run. What it left says that it did. */
async function refuseLostStates(reader: LedgerReader, sources: readonly MigrationSource[]): Promise<void> {
  const known = new Set((await reader.states()).map(({ id }) => id));
  const unknown = sources.map(({ migration }) => migration.id).filter((id) => !known.has(id));
  const traced = await Promise.all(unknown.map(async (id) => ({ id, steps: await reader.steps(id) })));
  // Looked at again: somebody may have begun in this moment, and a state is written before the first step.
  const lost: string[] = [];
  for (const { id, steps } of traced) {
    if (steps.length > 0 && (await reader.state(id)) === undefined) lost.push(id);
  }
  if (lost.length === 0) return;
  const problems = ['it is missing, and the migration has run'];
  throw damagedLedger(lost.map((id) => ({ item: ledgerKey(stateRecord, { id }), problems })));
}

async function surveyAll(session: Session, chosen: readonly PlannedRollback[]): Promise<readonly SurveyedMigration[]> {
  const surveyed: SurveyedMigration[] = [];
  for (const planned of chosen) surveyed.push(await surveyMigration(session, planned));
  return surveyed;
}

async function rollbackInOrder(session: Session, surveyed: readonly SurveyedMigration[]): Promise<RollbackReport> {
  const results: RollbackResult[] = [];
  for (const migration of surveyed) {
    if (session.stop.aborted) return { outcome: 'interrupted', results };
    const result = await rollbackMigration(session, migration);
    results.push(result);
    if (result.outcome === 'interrupted') return { outcome: 'interrupted', results };
  }
  return { outcome: 'done', results };
}

/** All that is in the way of all of them, before the first is touched. */
function refuseUndoing(surveyed: readonly SurveyedMigration[], { acceptGaps = false }: RollbackOptions): void {
  const problems = surveyed.flatMap((migration) => migration.problems);
  if (problems.length > 0) throw notUndoable(problems);
  const gaps = surveyed.flatMap((migration) => migration.gaps);
  if (gaps.length === 0 || acceptGaps) return;
  throw gapError(gaps, 'nothing was changed');
}
