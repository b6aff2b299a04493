import type { Pattern } from '../../../tables/model/pattern.ts';
import { operationOf } from '../../../tables/model/prove.ts';
import { type KeySchema, keyNames, type Table } from '../../../tables/model/table.ts';
import type { GetRequest, QueryRequest } from '../store/store.ts';
import { type Params, planRead, type ReadNames, type ReadPlan } from './plan-read.ts';

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
  readonly operation: string;
  readonly table: string;
  readonly index: string | null;
  readonly request: GetRequest | QueryRequest;
  /** What a read is expected to cost. */
  readonly expected: {
    readonly records: number;
    /** The number is the pattern's limit, not an assumption. */
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

/** What a pattern does for given parameters, what it should cost, and why it is no Scan. */
export function explainRead(
  table: Table,
  pattern: Pattern,
  params: Params,
  names: ReadNames,
  figures: TableFigures | undefined,
): Explanation {
  const plan = planRead(table, pattern, params, names);
  const measured = figures !== undefined && figures.records > 0 && figures.bytes > 0;
  const recordBytes = measured ? Math.ceil(figures.bytes / figures.records) : assumedRecordBytes;
  const limit = plan.kind === 'get' ? 1 : plan.limit;
  const records = limit ?? assumedRecords;
  return {
    pattern: pattern.name,
    description: pattern.description,
    operation: operationOf(table, pattern),
    table: plan.request.TableName,
    index: pattern.index ?? null,
    request: plan.request,
    expected: { records, limited: limit !== undefined, recordBytes, measured, units: expectedUnits(plan, records, recordBytes) },
    scan: measured ? { records: figures.records, units: unitsFor(figures.bytes) } : null,
    why: reasons(table, pattern, plan),
  };
}

/** A query is charged for the bytes of all records together; a lookup for each record by itself. */
function expectedUnits(plan: ReadPlan, records: number, recordBytes: number): number {
  if (plan.kind === 'get') return unitsFor(recordBytes);
  if (!plan.hydrate) return unitsFor(records * recordBytes);
  return unitsFor(records * keyEntryBytes) + records * unitsFor(recordBytes);
}

export function unitsFor(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / readUnitBytes)) * eventualFactor;
}

function reasons(table: Table, pattern: Pattern, plan: ReadPlan): readonly string[] {
  const index = table.indexes.find((candidate) => candidate.name === pattern.index);
  const schema: KeySchema = index ?? table.key;
  const place = index === undefined ? `the table's key` : `index ${index.name}`;
  if (plan.kind === 'get') {
    const names = keyNames(schema);
    const are = names.length === 1 ? 'is' : 'are';
    return [`${names.join(' and ')} ${are} the whole primary key, given by equality: one record is fetched by its address.`];
  }
  const condition = pattern.key.find(({ attribute }) => attribute === schema.range?.name);
  const range = schema.range?.name;
  return [
    `The hash key ${schema.hash.name} of ${place} is given by equality, so only the records of that one partition are read.`,
    ...(condition === undefined ? [] : [`The range key ${range} narrows them further before anything is read.`]),
    ...(range === undefined ? [] : [`They come sorted by ${range}, so nothing is sorted afterwards.`]),
    ...(plan.limit === undefined ? [] : [`It stops after ${plan.limit}; the rest of the partition is not read.`]),
    ...(pattern.filter === undefined ? [] : ['A filter drops other entities of the partition; those are read and paid for too.']),
    ...(plan.hydrate ? ['The index holds keys only: the records are fetched by their keys, up to 100 a request.'] : []),
  ];
}
