import type { Item } from '../../../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../../../tables/model/canonical.ts';
import { TablewrightError } from '../../../../tables/model/error.ts';
import { keyOf, showKey } from '../../../../tables/model/item.ts';
import {
  deadLetterRecord,
  type PartPlace,
  type SegmentRecord,
  type SegmentUnit,
  segmentRecord,
} from '../../../../tables/model/ledger/migration-records.ts';
import { isoOfEpochMs } from '../../../../tables/model/time.ts';
import { fromJsonItem, toJsonItem } from '../../../core/item/dynamo-json.ts';
import { put } from '../../../core/ledger/ledger-write.ts';
import { addCounts, addUnits, type Counts, noCounts, noUnits } from '../../../core/migrate/counts.ts';
import { projectionOf, projectionWithIndexKeys } from '../../../core/migrate/decide-item.ts';
import { projection } from '../../../core/store/expression.ts';
import type { PageAnswer, ScanRequest } from '../../../core/store/store.ts';
import { maxBatchStatements } from '../../../core/write/batch-limits.ts';
import { scanPage } from '../../store/read-pages.ts';
import { untilStopped } from '../../store/until-stopped.ts';
import { readContextOf } from '../environment.ts';
import { JournalWriter, onlyAttempt } from './journal-writer.ts';
import { readOrphans } from './orphans.ts';
import type { PassContext } from './pass-context.ts';
import { type DeadItem, type SettledPage, settlePage } from './settle-page.ts';

/**
 * One work unit: goes on with a segment from its checkpoint to its end, or until it is stopped. All it needs is in the
 * unit and in the ledger, all it leaves behind is its record there.
 */
export async function runSegment(context: PassContext, unit: SegmentUnit): Promise<SegmentRecord> {
  const { ledger, reader, meter, stop } = context;
  const known = await reader.segment(unit);
  let record = known ?? freshRecord(unit, ledger.lease.token);
  meter.goOn(record.counts, record.units);
  if (record.done) {
    meter.segmentsDone += 1;
    return record;
  }
  const orphans = await readOrphans(context, record, known !== undefined);
  const journal = await openJournal(context, unit);
  const request = pageRequest(context, unit);
  let ahead: Promise<PageAnswer | undefined> | undefined = startReading(context, request, cursorOf(record));
  while (!record.done && !stop.aborted) {
    await context.whilePaused();
    const page: PageAnswer | undefined = await ahead;
    if (page === undefined || stop.aborted) break;
    // The next page is read while this one is written.
    ahead = page.next === undefined ? undefined : startReading(context, request, page.next);
    const before = { record, parts: journal.parts, orphans: orphans.place };
    const settled = await settlePage(context, page.items, journal, orphans);
    record = advance(context, before, page, settled, { parts: journal.parts, orphans: orphans.place });
    await ledger.commit([
      ...deadWrites(context, unit, settled.dead),
      ...journal.takeMarks(),
      ...orphans.takeMarks(),
      put(segmentRecord, record),
    ]);
    meter.addPage(difference(record.counts, before.record.counts), {
      read: record.units.read - before.record.units.read,
      write: record.units.write - before.record.units.write,
    });
    meter.live({ write: -settled.units.write, changed: -settled.done });
    checkDeadLetters(context);
  }
  if (record.done) meter.segmentsDone += 1;
  return record;
}

/** A journal of this runner's own for a segment, that knows of the last one before it. */
export async function openJournal(
  { environment, ledger, reader, step }: Pick<PassContext, 'environment' | 'ledger' | 'reader' | 'step'>,
  unit: SegmentUnit,
): Promise<JournalWriter> {
  const after = (await reader.heads(unit)).at(-1);
  return new JournalWriter({ environment, ledger, unit, table: step.table.name, after });
}

/** A read that runs ahead; if nobody comes for it, its failure is nobody's. Undefined when the run is stopped. */
function startReading(context: PassContext, request: ScanRequest, from: Item | undefined): Promise<PageAnswer | undefined> {
  const { environment, stop } = context;
  const Limit = Math.min(environment.tuning.pageItems, maxPageItems(context));
  const place = from === undefined ? {} : { ExclusiveStartKey: from };
  const page = untilStopped(scanPage(readContextOf(environment), { ...request, Limit, ...place }, stop), stop);
  page.catch(() => undefined);
  return page;
}

/** What lies between two checkpoints should not take longer than this at the present write rate. */
const maxPageSeconds = 4;
/** For this purpose only: an item and two indexes. */
const typicalChangeUnits = 3;

function maxPageItems({ environment, tableName, unit }: PassContext): number {
  const { rate } = environment.gates.write.of(tableName).status();
  return Math.max(maxBatchStatements, Math.floor((rate * maxPageSeconds) / unit.segments / typicalChangeUnits));
}

function freshRecord(unit: SegmentUnit, token: number): SegmentRecord {
  return { ...unit, done: false, counts: noCounts, units: noUnits, chunks: 0, leftovers: [], token };
}

export function pageRequest(
  { step, tableName }: Pick<PassContext, 'step' | 'tableName'>,
  { segment, segments, pass }: SegmentUnit,
): ScanRequest {
  return {
    TableName: tableName,
    Segment: segment,
    TotalSegments: segments,
    ...projection(pass === 'verify' ? projectionOf(step) : projectionWithIndexKeys(step)),
    ConsistentRead: pass === 'verify' || step.consistent === true,
  };
}

function cursorOf(record: SegmentRecord): Item | undefined {
  return record.cursor === undefined ? undefined : fromJsonItem(record.cursor);
}

/** How far the journal has got: this writer's parts, and where those of earlier ones begin that may have items behind the cursor. */
interface JournalEnd {
  readonly parts: number;
  readonly orphans: PartPlace | undefined;
}

/** The checkpoint after a page: all of it, or up to the first item that was not sent because the run was stopped. */
function advance(
  { step, ledger }: PassContext,
  { record, ...before }: JournalEnd & { readonly record: SegmentRecord },
  page: PageAnswer,
  settled: SettledPage,
  after: JournalEnd,
): SegmentRecord {
  const unsent = settled.fates.indexOf('unsent');
  const done = unsent === -1 ? settled.fates.length : unsent;
  const last = unsent === -1 ? page.next : page.items[done - 1];
  const counts: Record<string, number> = { scanned: done, conflicts: settled.conflicts };
  for (const fate of settled.fates.slice(0, done)) counts[fate] = (counts[fate] ?? 0) + 1;
  const { cursor, orphans: _, ...rest } = record;
  // A page that was not finished is read again: what was journalled of it stays beyond the checkpoint.
  const { parts, orphans } = unsent === -1 ? after : before;
  const next = last === undefined ? (unsent === -1 ? undefined : cursor) : toJsonItem(keyOf(step.table, last));
  return {
    ...rest,
    ...(next === undefined ? {} : { cursor: next }),
    done: unsent === -1 && page.next === undefined,
    counts: addCounts(record.counts, counts as Partial<Counts>),
    units: addUnits(addUnits(record.units, settled.units), { read: page.units }),
    chunks: parts,
    attempt: onlyAttempt,
    token: ledger.lease.token,
    ...(orphans === undefined ? {} : { orphans }),
  };
}

function difference(after: Counts, before: Counts): Partial<Counts> {
  return Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - before[name as keyof Counts]]));
}

function deadWrites({ environment, step, tableName }: PassContext, unit: SegmentUnit, dead: readonly DeadItem[]) {
  const at = isoOfEpochMs(environment.nowMs());
  return dead.map(({ key, reason }) => {
    // Earlier versions named them by another digest. Whoever clears or retries them goes by the list, so those stay in reach.
    const named = { migration: unit.migration, step: unit.step, digest: environment.digest(keyIdentity(step.table.key, key)) };
    const shownKey = showKey(step.table, key);
    return put(deadLetterRecord, { ...named, key: toJsonItem(key), shownKey, table: tableName, reason, at });
  });
}

function checkDeadLetters({ environment, meter, unit }: PassContext): void {
  const { maxDeadLetters } = environment.tuning;
  if (meter.dead <= maxDeadLetters) return;
  throw new TablewrightError('TOO_MANY_DEAD_LETTERS', `${unit.migration}: more than ${maxDeadLetters} items failed`, {
    next: `Read their reasons with 'tablewright history ${unit.migration}' or in the dead letter file; correct the migration and run 'tablewright migrate' again.`,
  });
}
