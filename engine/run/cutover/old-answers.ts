import type { Item } from '../../../tables/model/attribute-value.ts';
import { type Condition, holds } from '../../../tables/model/condition.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { keyNames, type Table } from '../../../tables/model/table.ts';
import { type AnswerEntry, answerEntryOf } from '../../core/cutover/entry.ts';
import { type PartitionValue, partitionId, valuesByKey, valuesByLegacy } from '../../core/cutover/partition-values.ts';
import { checkCall } from '../../core/read/checked-call.ts';
import { compareBy, legacyFilter, legacyOrder } from '../../core/read/plan-legacy.ts';
import { projection } from '../../core/store/expression.ts';
import type { ScanRequest } from '../../core/store/store.ts';
import type { ReadEnvironment } from '../read/read-pattern.ts';
import { scanPages } from '../store/read-pages.ts';
import { timedReads } from './timed-reads.ts';

/** What the old way answers for one value: every match, sorted. */
export interface Part {
  readonly value: PartitionValue;
  readonly entries: readonly AnswerEntry[];
}

export interface OldAnswers {
  readonly parts: readonly Part[];
  /** What one Scan of the table costs an application. */
  readonly scanUnits: number;
  /** What that Scan took, its requests alone, where the time is taken. */
  readonly scanMs: number | undefined;
  /** What was read here: a consistent Scan of the table and one of the index. */
  readonly units: number;
}

/**
 * The old answers for all values, from one pass over the table: each record is put under the value whose filter it meets,
 * which is what a Scan for each value would give, or a Query on an index that holds every record that has its key. Values that only the index holds are there too, with an empty answer.
 */
export async function readOldAnswers(
  environment: ReadEnvironment,
  table: Table,
  pattern: Pattern,
  { steadyMs, signal }: { readonly steadyMs?: (() => number) | undefined; readonly signal?: AbortSignal | undefined },
): Promise<OldAnswers> {
  const groups = new Map<string, { readonly value: PartitionValue; readonly entries: AnswerEntry[] }>();
  const groupOf = (value: PartitionValue) => {
    const id = partitionId(value);
    const group = groups.get(id) ?? { value, entries: [] };
    groups.set(id, group);
    return group;
  };
  // A pattern without parameters has its one value, whether or not there is any record.
  if (isFixed(pattern)) groupOf({});
  const TableName = physicalName(table, environment.names);
  const matches = matcher(table, pattern);
  const sort = legacyOrder(table, pattern);
  const scanned = timedReads(environment, steadyMs ?? (() => 0));
  const tableUnits = await eachItem(scanned.environment, { TableName, ConsistentRead: true }, signal, (item) => {
    for (const value of valuesByLegacy(pattern, item)) {
      const group = groupOf(value);
      if (matches(value, item)) group.entries.push(answerEntryOf(table, sort, item, environment.digest));
    }
  });
  const indexUnits =
    pattern.index === undefined
      ? 0
      : await eachItem(environment, keysOnly(table, pattern, TableName), signal, (item) => {
          for (const value of valuesByKey(pattern, item)) groupOf(value);
        });
  const parts = [...groups.values()].map(({ value, entries }) => ({
    value,
    entries: entries.sort((a, b) => compareBy(sort, a.sorted, b.sorted)),
  }));
  // An application's Scan is eventually consistent and costs half of this one.
  return {
    parts,
    scanUnits: tableUnits / 2,
    scanMs: steadyMs === undefined ? undefined : scanned.tookMs(),
    units: tableUnits + indexUnits,
  };
}

function isFixed(pattern: Pattern): boolean {
  return Object.keys(pattern.params).every((name) => name === pattern.limit);
}

/** Does the record meet the old filter for the value? Filters are kept, for a table has far more records than values. */
function matcher(table: Table, pattern: Pattern) {
  const filters = new Map<string, Condition>();
  return (value: PartitionValue, item: Item): boolean => {
    const id = partitionId(value);
    const filter = filters.get(id) ?? legacyFilter(checkCall([table], pattern, value));
    filters.set(id, filter);
    return holds(filter, item);
  };
}

function keysOnly(table: Table, pattern: Pattern, TableName: string): ScanRequest {
  const index = table.indexes.find((candidate) => candidate.name === pattern.index);
  const place = pattern.index === undefined ? { TableName } : { TableName, IndexName: pattern.index };
  return { ...place, ...projection(keyNames(index ?? table.key)) };
}

async function eachItem(
  environment: ReadEnvironment,
  request: ScanRequest,
  signal: AbortSignal | undefined,
  visit: (item: Item) => void,
): Promise<number> {
  let units = 0;
  for await (const page of scanPages(environment, request, signal)) {
    for (const item of page.items) visit(item);
    units += page.units;
  }
  return units;
}
