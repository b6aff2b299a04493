import { operationOf } from '../../../tables/model/prove.ts';
import { keyNames } from '../../../tables/model/table.ts';
import type { ReadState } from '../cutover/state-record.ts';
import { keyRead } from './checked-call.ts';
import type { QueryPlan, ReadPlan } from './plan-read.ts';

/** DynamoDB Developer Guide, "Read and write operations": half a unit for each 4 KB begun, eventually consistent. */
export const readUnitBytes = 4_096;
const eventualFactor = 0.5;
/** For a table whose records cannot be measured. */
export const assumedRecordBytes = 400;
/** Of an entry in an index that holds keys only. */
const keyEntryBytes = 150;
/** Without a limit nobody knows how many records there are; the price is given for this many. */
export const assumedRecords = 100;

export interface TableFigures {
  readonly records: number;
  readonly bytes: number;
}

export interface Explanation {
  readonly pattern: string;
  readonly description: string;
  /** The cut-over state that the plan was made for; null when it is not known, or the pattern was never a Scan. */
  readonly state: ReadState | null;
  readonly way: 'query' | 'scan';
  readonly operation: string;
  readonly table: string;
  readonly index: string | null;
  /** The first request, as it is sent. */
  readonly request: ReadPlan['request'];
  /** What a read is expected to cost. */
  readonly expected: {
    /** Records that are read and paid for. */
    readonly records: number;
    /** The number is that of a limit, not an assumption. */
    readonly limited: boolean;
    readonly recordBytes: number;
    /** The size was measured on the table, not assumed. */
    readonly measured: boolean;
    readonly units: number;
  };
  /** What a Scan of the table would cost instead; null when its size is not known. */
  readonly scan: { readonly records: number; readonly units: number } | null;
  readonly why: readonly string[];
}

export interface ExplainOptions {
  readonly state?: ReadState | undefined;
  readonly figures?: TableFigures | undefined;
}

/** What a plan does, what it should cost, and why it is a Scan or none. */
export function explainRead(plan: ReadPlan, { state, figures }: ExplainOptions = {}): Explanation {
  const { table, pattern } = plan.call;
  const factor = plan.request.ConsistentRead === true ? 2 * eventualFactor : eventualFactor;
  const measured = figures !== undefined && figures.records > 0 && figures.bytes > 0;
  const recordBytes = measured ? Math.ceil(figures.bytes / figures.records) : assumedRecordBytes;
  const scan = measured ? { records: figures.records, units: unitsFor(figures.bytes, factor) } : null;
  const limit = plan.kind === 'get' ? 1 : plan.kind === 'query' ? plan.request.Limit : scan?.records;
  const records = Math.min(limit ?? assumedRecords, scan?.records ?? Number.POSITIVE_INFINITY);
  return {
    pattern: pattern.name,
    description: pattern.description,
    state: state ?? null,
    way: plan.kind === 'scan' ? 'scan' : 'query',
    operation: plan.kind === 'scan' ? 'Scan' : operationOf(table, pattern),
    table: plan.request.TableName,
    index: plan.kind === 'scan' ? null : (pattern.index ?? null),
    request: plan.request,
    expected: {
      records,
      limited: limit !== undefined,
      recordBytes,
      measured,
      units: plan.kind === 'scan' && scan !== null ? scan.units : expectedUnits(plan, records, recordBytes, factor),
    },
    scan,
    why: reasons(plan),
  };
}

/** A query is charged for the bytes of all records together; a lookup for each record by itself. */
function expectedUnits(plan: ReadPlan, records: number, recordBytes: number, factor: number): number {
  if (plan.kind !== 'query' || !plan.hydrate) return unitsFor(records * recordBytes, factor);
  return unitsFor(records * keyEntryBytes, factor) + records * unitsFor(recordBytes, factor);
}

export function unitsFor(bytes: number, factor = eventualFactor): number {
  return Math.max(1, Math.ceil(bytes / readUnitBytes)) * factor;
}

function reasons(plan: ReadPlan): readonly string[] {
  const names = keyNames(keyRead(plan.call));
  switch (plan.kind) {
    case 'get':
      return [
        `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} the whole primary key, given by equality: one record is fetched by its address.`,
      ];
    case 'query':
      return queryReasons(plan);
    case 'scan':
      return [
        'The whole table is read and paid for; the filter drops what does not match.',
        ...(plan.sort === undefined ? [] : [`The reader sorts by ${plan.sort.by} when all of it has been read.`]),
        ...(plan.limit === undefined ? [] : [`The reader keeps ${plan.limit}; the Scan reads on all the same.`]),
        ...(plan.shadow ? ['On a share of reads the query is tried beside it.'] : []),
      ];
  }
}

/** DynamoDB stops by what it has looked at, not by what matched. */
function filteredStop(limit: number, { Limit }: QueryPlan['request']): string {
  return `It stops when ${limit} ${limit === 1 ? 'is' : 'are'} found, and looks at up to ${Limit} in a request.`;
}

function queryReasons({ call, request, limit, hydrate }: QueryPlan): readonly string[] {
  const { pattern } = call;
  const schema = keyRead(call);
  const ranges = schema.range.map(({ name }) => name);
  const range = ranges.length === 0 ? undefined : ranges.join(', then ');
  const place = pattern.index === undefined ? `the table's key` : `index ${pattern.index}`;
  const used = new Set(Object.values(request.ExpressionAttributeNames ?? {}));
  const narrowing = ranges.filter((name) => used.has(name));
  const filtered = request.FilterExpression !== undefined;
  return [
    `The hash key ${schema.hash.map(({ name }) => name).join(' + ')} of ${place} is given by equality, so only the records of that one partition are read.`,
    ...(narrowing.length > 0 ? [`The range key ${narrowing.join(', ')} narrows them further before anything is read.`] : []),
    ...(range === undefined ? [] : [`They come sorted by ${range}, so nothing is sorted afterwards.`]),
    ...(filtered ? ['A filter drops other entities of the partition; those are read and paid for too.'] : []),
    ...(limit === undefined
      ? []
      : [filtered ? filteredStop(limit, request) : `It stops after ${limit}; the rest of the partition is not read.`]),
    ...(hydrate ? ['The index holds keys only: the records are fetched by their keys, up to 100 a request.'] : []),
  ];
}
