import { headRecord } from '../../../../tables/model/ledger/journal-records.ts';
import { claimRecord } from '../../../../tables/model/ledger/lock-records.ts';
import {
  deadLetterRecord,
  executionRecord,
  type StepRecord,
  stateRecord,
  stepRecord,
} from '../../../../tables/model/ledger/migration-records.ts';
import { isoOfEpochMs } from '../../../../tables/model/time.ts';
import { type LedgerWrite, remove, setMembers } from '../../../core/ledger/ledger-write.ts';
import { removeSegment } from '../../../core/ledger/segment-write.ts';
import type { ConsumedUnits, Counts } from '../../../core/migrate/counts.ts';
import { stepOfFile } from '../../../core/migrate/decide-rollback.ts';
import type { Migration } from '../../../core/migrate/define-migration.ts';
import type { JournalOf } from '../../ledger/ledger-reader.ts';
import type { Session } from '../../ledger/session.ts';
import { takeUnits } from '../../remote/take-units.ts';
import { PassMeter } from '../backfill/pass-context.ts';
import { startWatch } from '../backfill/watch-pass.ts';
import { customHandle } from '../custom-step.ts';
import { revertPatterns } from '../cutover-step.ts';
import type { StepContext } from '../run-context.ts';
import { Segments } from '../segments.ts';
import { totalsOf } from '../state-writer.ts';
import { tablesOfStep } from './rollback-unit.ts';
import { isJournalled, journalsOf, type SurveyedMigration } from './survey-journal.ts';
import { undoSegment } from './undo-segment.ts';

export interface RollbackResult {
  readonly id: string;
  readonly outcome: 'rolled-back' | 'interrupted';
  /** Of this run and those before it that were cut off. */
  readonly counts: Counts;
  readonly units: ConsumedUnits;
  /** The first few of the items that somebody has changed since. */
  readonly keptKeys: readonly string[];
  /** Items that its journal lacks, so that they stay as they are; undefined when nothing tells how many. */
  readonly missing: number | undefined;
}

/** Undoes a migration, newest change first, wherever the values are still the ones that it set. */
export async function rollbackMigration(session: Session, surveyed: SurveyedMigration): Promise<RollbackResult> {
  const { ledger, history, reader, stop } = session;
  const { state, steps, source } = surveyed;
  const { id } = state;
  const missing = missingIn(surveyed);
  // What a killed run had done is in its checkpoints only.
  const isBegun = state.state === 'rolling-back';
  const totals = isBegun ? {} : totalsOf(await reader.allSegments(id));
  const { token } = ledger.lease;
  const lacks = missing === 0 ? '' : `${missing ?? 'an unknown number of'} items are missing in its journal`;
  // An execution comes by several times.
  if (!isBegun || state.token !== token) {
    const begun = setMembers(stateRecord, { id }, { state: 'rolling-back', token, ...totals });
    await ledger.commit([begun, history(id, 'rollback-started', lacks)]);
  }
  const kept: string[] = [];
  for (const step of steps) {
    const run: StepContext = { ...session, id, generation: step.generation };
    const undo = { migration: source?.migration, entries: surveyed.entriesOf(step), isWhole: surveyed.isWhole, kept };
    if (stop.aborted || session.elsewhere?.stopping === true || !(await undoStep(run, step, undo))) {
      session.elsewhere?.cut();
      return { id, outcome: 'interrupted', ...(await undoneOf(session, id)), keptKeys: kept, missing };
    }
  }
  const sums = await undoneOf(session, id);
  await clearUp(session, surveyed, sums);
  return { id, outcome: 'rolled-back', ...sums, keptKeys: kept, missing };
}

function missingIn({ gaps }: SurveyedMigration): number | undefined {
  return gaps.reduce<number | undefined>(
    (sum, { items }) => (sum === undefined || items === undefined ? undefined : sum + items),
    0,
  );
}

interface Undone {
  readonly counts: Counts;
  readonly units: ConsumedUnits;
}

/** What all runs of the rollback have done so far. */
async function undoneOf({ reader }: Session, id: string): Promise<Undone> {
  return totalsOf(await reader.allSegments(id), 'rollback');
}

interface StepUndo {
  /** Its file, where it is there. */
  readonly migration: Migration | undefined;
  /** Entries in its journal. */
  readonly entries: number;
  readonly isWhole: SurveyedMigration['isWhole'];
  readonly kept: string[];
}

/** False when it was stopped first. */
async function undoStep(run: StepContext, record: StepRecord, undo: StepUndo): Promise<boolean> {
  const { migration } = undo;
  const { step: at, kind, carried, undone: isUndone } = record;
  if (carried === true || isUndone === true) return true;
  if (isJournalled(record)) return undoPass(run, record, undo);
  if (kind === 'custom' || kind === 'cutover') run.elsewhere?.inline();
  const step = stepOfFile(migration, record);
  if (kind === 'custom' && step?.kind === 'custom') await step.undo?.(customHandle(run, step, at, record.checkpoint));
  if (kind === 'cutover') await revertPatterns(run, patternsOf(record, step?.kind === 'cutover' ? step.patterns : []));
  if (kind === 'custom' && run.stop.aborted) return false;
  await run.ledger.commit([setMembers(stepRecord, record, { undone: true })]);
  return true;
}

function patternsOf({ checkpoint }: StepRecord, patterns: readonly { readonly name: string }[]): readonly string[] {
  return Array.isArray(checkpoint) ? checkpoint.map(String) : patterns.map(({ name }) => name);
}

async function undoPass(run: StepContext, record: StepRecord, undo: StepUndo): Promise<boolean> {
  const { environment, id } = run;
  const { migration, entries, isWhole, kept } = undo;
  const { name: step, segments: count } = record;
  const [retried, ...segments] = journalsOf(record);
  if (run.elsewhere !== undefined) {
    // Retried dead letters come first, as on one machine.
    for (const units of [retried === undefined ? [] : [retried], segments]) {
      await run.elsewhere.pass(run, record, { pass: 'rollback', units: units.map(({ segment }) => segment) });
    }
    return true;
  }
  environment.emit({ kind: 'step-started', migration: id, step, pass: 'rollback', segments: count });
  const meter = new PassMeter();
  await takeUnits(run, record);
  const { tableName, ...tables } = tablesOfStep(run, record, migration, () => count + 1 - meter.segmentsDone);
  const parallel = new Segments(run.stop);
  const work = (unit: JournalOf) =>
    undoSegment({ ...run, stop: parallel.stop }, unit, { ...tables, step: record, isWhole: isWhole(unit), meter, kept });
  const watched = { environment, migration: id, step, pass: 'rollback', tableName, segments: count + 1, meter } as const;
  const watch = startWatch({ ...watched, heldBy: run.heldBy, expected: () => entries + meter.earlier.counts.scanned });
  const undoAll = async () => {
    const first = retried === undefined ? [] : await parallel.run([retried], work);
    return [...first, ...(await parallel.run(segments, work))];
  };
  const done = (await undoAll().finally(watch.stop)).every((isDone) => isDone);
  const { counts, units } = meter;
  const elapsedMs = watch.elapsedMs();
  if (done) environment.emit({ kind: 'step-done', migration: id, step, pass: 'rollback', counts, units, elapsedMs });
  return done;
}

/**
 * Nothing is left of the journal. Checkpoints go before heads, which they name; the rollback's own counts go with the state that
 * says them.
 */
async function clearUp(
  { ledger, reader, history, environment }: Session,
  { state, steps }: SurveyedMigration,
  undone: Undone,
): Promise<void> {
  const { id } = state;
  const segments = await reader.allSegments(id);
  const of = (isRollback: boolean): readonly LedgerWrite[] =>
    segments.filter(({ pass }) => (pass === 'rollback') === isRollback).map(removeSegment);
  const dead = (await reader.dead(id)).map((record) => remove(deadLetterRecord, record));
  const heads = (
    await Promise.all(
      steps
        .filter(isJournalled)
        .flatMap(journalsOf)
        .map((unit) => reader.heads(unit)),
    )
  ).flat();
  // What they counted is undone; a later run counts from nothing.
  await ledger.commit([...dead, ...of(false)]);
  // The newest first: each names the one before it, and what is named must not be missing if it ends here.
  await ledger.commit(heads.toReversed().map((record) => remove(headRecord, record)));
  const finishedAt = isoOfEpochMs(environment.nowMs());
  const executions = (await reader.executions(id)).filter(({ pass }) => pass !== 'rollback');
  await ledger.commit([
    ...claimsOf(steps).map((place) => remove(claimRecord, place)),
    ...executions.map((record) => remove(executionRecord, record)),
    ...steps.map((record) => remove(stepRecord, record)),
    ...of(true),
    setMembers(stateRecord, { id }, { state: 'rolled-back', undone, finishedAt, updatedAt: finishedAt, dead: 0 }),
    history(id, 'rolled-back', `${undone.counts.changed} restored, ${undone.counts.kept} kept because they were changed since`),
  ]);
}

/** Each unit once: generations share their claims. */
function claimsOf(steps: readonly StepRecord[]) {
  const widest = new Map<number, StepRecord>();
  for (const record of steps) {
    const isWider = record.segments > (widest.get(record.step)?.segments ?? -1);
    if (record.spread === true && isWider) widest.set(record.step, record);
  }
  return [...widest.values()].flatMap(journalsOf);
}
