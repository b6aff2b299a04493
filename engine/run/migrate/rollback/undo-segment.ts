import type { JournalPart } from '../../../../tables/model/ledger/journal-records.ts';
import { type SegmentRecord, type StepRecord, segmentRecord } from '../../../../tables/model/ledger/migration-records.ts';
import type { Table } from '../../../../tables/model/table.ts';
import { put } from '../../../core/ledger/ledger-write.ts';
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
}

/** A part is deleted when all of it is settled, so a rollback that was cut off goes on with what is left. */
export async function undoSegment(run: StepContext, unit: JournalOf, options: UndoOptions): Promise<boolean> {
  const { step, tableOf, paceOf, isWhole, meter, kept } = options;
  const known = await run.reader.segment({ ...unit, pass: 'rollback', segments: 0 });
  let record: SegmentRecord = known ?? {
    ...unit,
    ...{ pass: 'rollback', segments: 0, done: false, counts: noCounts, units: noUnits, chunks: 0, leftovers: [] },
    token: run.ledger.lease.token,
  };
  meter.goOn(record.counts, record.units);
  const heads = await run.reader.heads(unit);
  const walk = isWhole ? new JournalWalk(heads) : undefined;
  for await (const part of run.reader.parts(unit)) {
    if (run.stop.aborted) return false;
    await run.whilePaused();
    const gap = walk?.meet(part);
    if (gap !== undefined) await refuseLost(run, step, unit, [gap]);
    const undoing = placeOfPart(part);
    const begun = samePlace(undoing, record.undoing);
    if (!begun) await run.ledger.commit([put(segmentRecord, { ...record, undoing })]);
    const table = tableOf(part);
    const settled = await undoPart(run, table, part, { begun, segments: step.segments, keyPace: paceOf(table) });
    if (settled === undefined) return false;
    kept.push(...settled.kept.slice(0, maxShownKept - kept.length));
    meter.addPage(settled.counts, settled.units);
    const counts = addCounts(record.counts, settled.counts);
    record = { ...record, counts, units: addUnits(record.units, settled.units), undoing: undefined };
    await run.ledger.commitTogether([...removePart(part, heads), put(segmentRecord, record)]);
  }
  const gaps = walk?.end() ?? [];
  if (gaps.length > 0) await refuseLost(run, step, unit, gaps);
  meter.segmentsDone += 1;
  return true;
}

async function refuseLost(run: StepContext, step: StepRecord, unit: JournalOf, gaps: readonly JournalGap[]): Promise<never> {
  // Whoever has lost the lock may be looking at another's work.
  await run.ledger.heartbeat();
  throw gapError(
    gaps.map((gap) => ({ ...gap, where: whereOf(step, unit) })),
    'it was lost while the rollback ran, which has stopped before it',
  );
}
