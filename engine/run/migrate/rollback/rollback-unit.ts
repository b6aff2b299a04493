import type { JournalPart } from '../../../../tables/model/ledger/journal-records.ts';
import type { SegmentRecord, SegmentUnit, StepRecord } from '../../../../tables/model/ledger/migration-records.ts';
import { physicalName } from '../../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../../tables/model/table.ts';
import { putSegment } from '../../../core/ledger/segment-write.ts';
import { stepOfFile } from '../../../core/migrate/decide-rollback.ts';
import { isPass, type Migration } from '../../../core/migrate/define-migration.ts';
import type { MigrationSource } from '../../../core/migrate/migration-set.ts';
import { KeyPace } from '../backfill/key-pace.ts';
import { PassMeter } from '../backfill/pass-context.ts';
import { startWatch } from '../backfill/watch-pass.ts';
import type { StepContext } from '../run-context.ts';
import { surveyJournal } from './survey-journal.ts';
import { freshUndo, type UndoOptions, undoSegment } from './undo-segment.ts';

/** Which table a part is of, how fast its keys may be written, and the table's physical name for people to see. */
export function tablesOfStep(
  { environment, id }: StepContext,
  record: StepRecord,
  migration: Migration | undefined,
  segments: () => number,
): Pick<UndoOptions, 'tableOf' | 'paceOf'> & { readonly tableName: string } {
  const ofFile = stepOfFile(migration, record);
  const declared = ofFile !== undefined && isPass(ofFile) ? ofFile.table : undefined;
  const named = (name: string | undefined): Table | undefined => environment.tables.find((table) => table.name === name);
  const tableOf = (part: JournalPart): Table => {
    const table = ('table' in part ? named(part.table) : undefined) ?? declared;
    if (table === undefined) throw new TypeError(`${id}: nothing says which table step ${record.name} went over`);
    return table;
  };
  const paces = new Map<Table, KeyPace>();
  const paceOf = (table: Table): KeyPace => {
    const gate = environment.gates.write.of(physicalName(table, environment.config));
    const pace = paces.get(table) ?? new KeyPace(table, gate, segments);
    paces.set(table, pace);
    return pace;
  };
  const table = named(record.table) ?? declared;
  return { tableOf, paceOf, tableName: table === undefined ? '' : physicalName(table, environment.config) };
}

/** A worker's look at one journal; what it finds is kept in the unit's record. False when it was stopped first. */
export async function surveyUnit(run: StepContext, unit: SegmentUnit): Promise<boolean> {
  const applied = await run.reader.segment({ ...unit, pass: 'apply' });
  const known = await run.reader.segment(unit);
  const own = [applied, known].filter((one): one is SegmentRecord => one !== undefined);
  const found = await surveyJournal(run, unit, own);
  if (found === undefined) return false;
  const { token } = run.ledger.lease;
  const begun = known ?? freshUndo(unit, token);
  await run.ledger.commit([putSegment({ ...begun, token, done: false, found })]);
  return true;
}

/** A worker's share of a step's undoing: one journal. False when it was stopped first. */
export async function undoUnit(
  run: StepContext,
  record: StepRecord,
  unit: SegmentUnit,
  source: MigrationSource | undefined,
): Promise<boolean> {
  const { environment, id } = run;
  const known = await run.reader.segment(unit);
  const isWhole = known?.found?.gaps.length === 0;
  const meter = new PassMeter();
  const { tableName, ...tables } = tablesOfStep(run, record, source?.migration, () => 1);
  const expected = () => known?.found?.entries ?? 0;
  const watched = { environment, migration: id, step: record.name, pass: 'rollback', tableName, segments: 1, meter } as const;
  const watch = startWatch({ ...watched, heldBy: run.heldBy, expected });
  const options = { ...tables, step: record, isWhole, meter, kept: [], atOnce: 1 };
  return undoSegment(run, unit, options).finally(watch.stop);
}
