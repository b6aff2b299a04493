import type { Item } from '../../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../../tables/model/error.ts';
import type { SegmentRecord, SegmentUnit } from '../../../../tables/model/ledger/migration-records.ts';
import { fromJsonItem } from '../../../core/item/dynamo-json.ts';
import { noCounts, noUnits } from '../../../core/migrate/counts.ts';
import { projectionOf, projectionWithIndexKeys } from '../../../core/migrate/decide-item.ts';
import { projection } from '../../../core/store/expression.ts';
import type { PageAnswer, ScanRequest } from '../../../core/store/store.ts';
import { maxBatchStatements } from '../../../core/write/batch-limits.ts';
import { scanPage } from '../../store/read-pages.ts';
import { untilStopped } from '../../store/until-stopped.ts';
import { readContextOf } from '../environment.ts';
import { JournalWriter } from './journal-writer.ts';
import { readOrphans } from './orphans.ts';
import { PageLine } from './page-line.ts';
import type { PassContext } from './pass-context.ts';

/**
 * One work unit: goes on with a segment from its checkpoint to its end, or until it is stopped. All it needs is in the
 * unit and in the ledger, all it leaves behind is its record there.
 */
export async function runSegment(context: PassContext, unit: SegmentUnit): Promise<SegmentRecord> {
  const { ledger, reader, meter } = context;
  const known = await reader.segment(unit);
  const record = known ?? freshRecord(unit, ledger.lease.token);
  meter.goOn(record.counts, record.units);
  if (record.done) {
    meter.segmentsDone += 1;
    return record;
  }
  const orphans = await readOrphans(context, record, known !== undefined);
  const journal = await openJournal(context, unit);
  const line = new PageLine({ context, unit, record, journal, orphans });
  const failure = await readInto(line, context, unit, record);
  const reached = await line.drain();
  if (failure !== undefined) throw failure.error;
  if (reached.done) meter.segmentsDone += 1;
  checkDeadLetters(context);
  return reached;
}

/** Reads the segment page by page, each while those before it are written. Gives what ended it, if that was a failure. */
async function readInto(
  line: PageLine,
  context: PassContext,
  unit: SegmentUnit,
  record: SegmentRecord,
): Promise<{ readonly error: unknown } | undefined> {
  const { stop } = context;
  const request = pageRequest(context, unit);
  const limit = () => Math.min(context.environment.tuning.pageItems, maxPageItems(context));
  try {
    let ahead: Promise<PageAnswer | undefined> | undefined = startReading(context, request, limit(), cursorOf(record));
    while (ahead !== undefined) {
      const page: PageAnswer | undefined = await ahead;
      if (page === undefined || !(await line.hasRoom())) break;
      await context.whilePaused();
      if (stop.aborted || hasTooManyDead(context)) break;
      ahead = page.next === undefined ? undefined : startReading(context, request, limit(), page.next);
      line.begin(page);
    }
    return undefined;
  } catch (error) {
    // What is under way is waited for first.
    return { error };
  }
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
export function startReading(
  { environment, stop }: Pick<PassContext, 'environment' | 'stop'>,
  request: ScanRequest,
  Limit: number,
  from: Item | undefined,
): Promise<PageAnswer | undefined> {
  const place = from === undefined ? {} : { ExclusiveStartKey: from };
  const page = untilStopped(scanPage(readContextOf(environment), { ...request, Limit, ...place }, stop), stop);
  page.catch(() => undefined);
  return page;
}

/** What lies between two checkpoints should not take longer than this at the present write rate. */
const maxPageSeconds = 4;
/** For this purpose only: an item and two indexes. */
const typicalChangeUnits = 3;

function maxPageItems({ environment, tableName, unit, atOnce = unit.segments }: PassContext): number {
  const { rate } = environment.gates.write.of(tableName).status();
  return Math.max(maxBatchStatements, Math.floor((rate * maxPageSeconds) / atOnce / typicalChangeUnits));
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
    // One segment is the whole table: the embedded engine reads that much faster than a part.
    ...(segments === 1 ? {} : { Segment: segment, TotalSegments: segments }),
    ...projection(pass === 'verify' ? projectionOf(step) : projectionWithIndexKeys(step)),
    ConsistentRead: pass === 'verify' || step.consistent === true,
  };
}

function cursorOf(record: SegmentRecord): Item | undefined {
  return record.cursor === undefined ? undefined : fromJsonItem(record.cursor);
}

function hasTooManyDead({ environment, meter }: PassContext): boolean {
  return meter.dead > environment.tuning.maxDeadLetters;
}

function checkDeadLetters(context: PassContext): void {
  if (hasTooManyDead(context)) throw tooManyDead(context.environment, context.unit.migration);
}

export function tooManyDead({ tuning }: Pick<PassContext['environment'], 'tuning'>, migration: string): TablewrightError {
  return new TablewrightError('TOO_MANY_DEAD_LETTERS', `${migration}: more than ${tuning.maxDeadLetters} items failed`, {
    next: `Read their reasons with 'tablewright history ${migration}' or in the dead letter file; correct the migration and run 'tablewright migrate' again.`,
  });
}
