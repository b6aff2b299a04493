import type { JournalPart } from '../../../../tables/model/ledger/journal-records.ts';
import type { SegmentRecord, StepRecord } from '../../../../tables/model/ledger/migration-records.ts';
import type { Table } from '../../../../tables/model/table.ts';
import { putSegment } from '../../../core/ledger/segment-write.ts';
import { addCounts, addUnits, noCounts, noUnits } from '../../../core/migrate/counts.ts';
import { placeOfPart, removePart, samePlace } from '../../../core/migrate/journal.ts';
import { gapError, type JournalGap, JournalWalk } from '../../../core/migrate/journal-gaps.ts';
import type { JournalOf } from '../../ledger/ledger-reader.ts';
import type { KeyPace } from '../backfill/key-pace.ts';
import type { PassMeter } from '../backfill/pass-context.ts';
import type { StepContext } from '../run-context.ts';
import { whereOf } from './survey-journal.ts';
import { undoPart } from './undo-part.ts';

/** Keys that are shown of what a rollback left to others. */
const maxShownKept = 10;

export interface UndoOptions {
  readonly step: StepRecord;
  readonly tableOf: (part: JournalPart) => Table;
  readonly paceOf: (table: Table) => KeyPace;
  /** All of its journal was there when it was looked at; what is missing now was lost since. */
  readonly isWhole: boolean;
  readonly meter: PassMeter;
  readonly kept: string[];
  /** Segments that share what this process may use; all of the step when left out. */
  readonly atOnce?: number | undefined;
}

/** A part is deleted when all of it is settled, so a rollback that was cut off goes on with what is left. */
export async function undoSegment(run: StepContext, unit: JournalOf, options: UndoOptions): Promise<boolean> {
  const { step, tableOf, paceOf, isWhole, meter, kept } = options;
  const { token } = run.ledger.lease;
  const known = await run.reader.segment({ ...unit, pass: 'rollback', segments: 0 });
  const isDone = known?.done === true && known.token === token;
  let record: SegmentRecord = { ...(known ?? freshUndo(unit, token)), token, done: isDone };
  meter.goOn(record.counts, record.units);
  if (isDone) meter.segmentsDone += 1;
  if (isDone) return true;
  const heads = await run.reader.heads(unit);
  const walk = isWhole ? new JournalWalk(heads) : undefined;
  for await (const part of run.reader.parts(unit)) {
    if (run.stop.aborted) return false;
    await run.whilePaused();
    const gap = walk?.meet(part);
    if (gap !== undefined) await refuseLost(run, step, unit, [gap]);
    const undoing = placeOfPart(part);
    const begun = samePlace(undoing, record.undoing);
    if (!begun) await run.ledger.commit([putSegment({ ...record, undoing })]);
    const table = tableOf(part);
    const settled = await undoPart(run, table, part, {
      begun,
      segments: options.atOnce ?? step.segments,
      keyPace: paceOf(table),
    });
    if (settled === undefined) return false;
    kept.push(...settled.kept.slice(0, maxShownKept - kept.length));
    meter.addPage(settled.counts, settled.units);
    const counts = addCounts(record.counts, settled.counts);
    const leftovers = [...record.leftovers, ...settled.kept].slice(0, maxShownKept);
    record = { ...record, counts, units: addUnits(record.units, settled.units), leftovers, undoing: undefined };
    await run.ledger.commitTogether([...removePart(part, heads), putSegment(record)]);
  }
  const gaps = walk?.end() ?? [];
  if (gaps.length > 0) await refuseLost(run, step, unit, gaps);
  // On one machine whoever undoes it knows; of workers, `next` has to.
  if (unit.spread === true) await run.ledger.commit([putSegment({ ...record, done: true })]);
  meter.segmentsDone += 1;
  return true;
}

/** Of a journal that nothing is undone of yet. */
export function freshUndo({ migration, generation, step, segment, spread }: JournalOf, token: number): SegmentRecord {
  const unit = { migration, generation, step, segment, ...(spread === undefined ? {} : { spread }) };
  const nothing = { done: false, counts: noCounts, units: noUnits, chunks: 0, leftovers: [] };
  return { ...unit, pass: 'rollback', segments: 0, ...nothing, token };
}

async function refuseLost(run: StepContext, step: StepRecord, unit: JournalOf, gaps: readonly JournalGap[]): Promise<never> {
  // Whoever has lost the lock may be looking at another's work.
  await run.ledger.heartbeat();
  throw gapError(
    gaps.map((gap) => ({ ...gap, where: whereOf(step, unit) })),
    'it was lost while the rollback ran, which has stopped before it',
  );
}
