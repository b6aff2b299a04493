import type { Pattern } from '../../../tables/model/pattern.ts';
import type { Table } from '../../../tables/model/table.ts';
import { type Entry, entryOf } from '../../core/cutover/entry.ts';
import type { PartitionValue } from '../../core/cutover/partition-values.ts';
import { type ReadEnvironment, readFrom } from '../read/read-pattern.ts';

/** All that the query gives for a value, page by page and past the pattern's own limit. */
export async function queryPart(
  environment: ReadEnvironment,
  table: Table,
  pattern: Pattern,
  value: PartitionValue,
  signal?: AbortSignal,
): Promise<{ readonly entries: readonly Entry[]; readonly units: number }> {
  const entries: Entry[] = [];
  let units = 0;
  for await (const page of readFrom(environment, pattern, value, { signal, unlimited: true })) {
    for (const item of page.items) entries.push(entryOf(table, pattern.legacy?.sort, item, environment.digest));
    units += page.units;
  }
  return { entries, units };
}
