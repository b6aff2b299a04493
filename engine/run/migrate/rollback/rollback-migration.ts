import { headRecord, type JournalPart } from '../../../../tables/model/ledger/journal-records.ts';
import {
  deadLetterRecord,
  type StepRecord,
  segmentRecord,
  stateRecord,
  stepRecord,
} from '../../../../tables/model/ledger/migration-records.ts';
import { physicalName } from '../../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../../tables/model/table.ts';
import { isoOfEpochMs } from '../../../../tables/model/time.ts';
import { type LedgerWrite, remove, setMembers } from '../../../core/ledger/ledger-write.ts';
import type { ConsumedUnits, Counts } from '../../../core/migrate/counts.ts';
import { stepOfFile } from '../../../core/migrate/decide-rollback.ts';
import { isPass, type Migration, type Step } from '../../../core/migrate/define-migration.ts';
import type { JournalOf } from '../../ledger/ledger-reader.ts';
import type { Session } from '../../ledger/session.ts';
import { KeyPace } from '../backfill/key-pace.ts';
import { PassMeter } from '../backfill/pass-context.ts';
import { startWatch } from '../backfill/watch-pass.ts';
import { customHandle } from '../custom-step.ts';
import { revertPatterns } from '../cutover-step.ts';
import type { StepContext } from '../run-context.ts';
import { Segments } from '../segments.ts';
import { totalsOf } from '../state-writer.ts';
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
  const totals = state.state === 'rolling-back' ? {} : totalsOf(await reader.allSegments(id));
  await ledger.commit([
    setMembers(stateRecord, { id }, { state: 'rolling-back', token: ledger.lease.token, ...totals }),
    history(id, 'rollback-started', missing === 0 ? '' : `${missing ?? 'an unknown number of'} items are missing in its journal`),
  ]);
  const kept: string[] = [];
  for (const step of steps) {
    const run: StepContext = { ...session, id, generation: step.generation };
    const undo = { migration: source?.migration, entries: surveyed.entriesOf(step), isWhole: surveyed.isWhole, kept };
    if (stop.aborted || !(await undoStep(run, step, undo))) {
      return { id, outcome: 'interrupted', ...(await undone(session, id)), keptKeys: kept, missing };
    }
  }
  const sums = await undone(session, id);
  await clearUp(session, surveyed, sums.counts);
  return { id, outcome: 'rolled-back', ...sums, keptKeys: kept, missing };
}

function missingIn({ gaps }: SurveyedMigration): number | undefined {
  return gaps.reduce<number | undefined>(
    (sum, { items }) => (sum === undefined || items === undefined ? undefined : sum + items),
    0,
  );
}

/** What all runs of the rollback have done so far. */
async function undone({ reader }: Session, id: string): Promise<{ readonly counts: Counts; readonly units: ConsumedUnits }> {
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
  environment.emit({ kind: 'step-started', migration: id, step, pass: 'rollback', segments: count });
  const meter = new PassMeter();
  const ofFile = stepOfFile(migration, record);
  const tableOf = (part: JournalPart): Table => {
    const named = 'table' in part ? environment.tables.find((table) => table.name === part.table) : undefined;
    const table = named ?? (ofFile !== undefined && isPass(ofFile) ? ofFile.table : undefined);
    if (table === undefined) throw new TypeError(`${id}: nothing says which table step ${step} went over`);
    return table;
  };
  const paces = new Map<Table, KeyPace>();
  const paceOf = (table: Table): KeyPace => {
    const gate = environment.gates.write.of(physicalName(table, environment.config));
    const pace = paces.get(table) ?? new KeyPace(table, gate);
    paces.set(table, pace);
    return pace;
  };
  const [retried, ...segments] = journalsOf(record);
  const parallel = new Segments(run.stop);
  const work = (unit: JournalOf) =>
    undoSegment({ ...run, stop: parallel.stop }, unit, { step: record, tableOf, paceOf, isWhole: isWhole(unit), meter, kept });
  const tableName = tableNameOf(run, record, ofFile);
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

/** The physical name, for people to see. */
function tableNameOf({ environment }: StepContext, { table: name }: StepRecord, step: Step | undefined): string {
  const table =
    environment.tables.find((one) => one.name === name) ?? (step !== undefined && isPass(step) ? step.table : undefined);
  return table === undefined ? '' : physicalName(table, environment.config);
}

/**
 * Nothing is left of the journal. Checkpoints go before heads, which they name; the rollback's own counts go with the state that
 * says them.
 */
async function clearUp(
  { ledger, reader, history, environment }: Session,
  { state, steps }: SurveyedMigration,
  counts: Counts,
): Promise<void> {
  const { id } = state;
  const segments = await reader.allSegments(id);
  const of = (isRollback: boolean): readonly LedgerWrite[] =>
    segments.filter(({ pass }) => (pass === 'rollback') === isRollback).map((record) => remove(segmentRecord, record));
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
  await ledger.commit([
    ...steps.map((record) => remove(stepRecord, record)),
    ...of(true),
    setMembers(stateRecord, { id }, { state: 'rolled-back', finishedAt, updatedAt: finishedAt, dead: 0 }),
    history(id, 'rolled-back', `${counts.changed} restored, ${counts.kept} kept because they were changed since`),
  ]);
}
