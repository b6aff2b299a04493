import { canonicalValue } from '../../../tables/model/canonical.ts';
import { keyAttributes, keyNames, keyPartition, type Table } from '../../../tables/model/table.ts';
import { KeyCounts, type KeySpread } from '../../core/capacity/key-counts.ts';
import { projection } from '../../core/store/expression.ts';
import { type ScanContext, scanPages } from '../store/read-pages.ts';

/** Many small looks spread over the whole table tell more than a few large ones. */
const sampleSegments = 32;

export interface KeySample {
  /** The table (`''`) and its indexes, those that have entries. Of a sample, without the table: its items lie together by key. */
  readonly parts: readonly { readonly part: string; readonly spread: KeySpread }[];
  readonly items: number;
  /** All of the table was looked at. */
  readonly complete: boolean;
}

/** How a table's items fall on the partition keys of its indexes, by about so many of them, within the read budget. */
export async function sampleKeys(
  context: ScanContext,
  table: Table,
  tableName: string,
  sample: number,
  signal?: AbortSignal,
): Promise<KeySample> {
  const counts = new Map(['', ...table.indexes.map(({ name }) => name)].map((part) => [part, new KeyCounts()]));
  const schemas = [{ part: '', schema: table.key }, ...table.indexes.map((index) => ({ part: index.name, schema: index }))];
  const names = keyAttributes(table).map(({ name }) => name);
  const perSegment = Math.ceil(sample / sampleSegments);
  let items = 0;
  let complete = true;
  const look = async (segment: number): Promise<void> => {
    const place = { TableName: tableName, Segment: segment, TotalSegments: sampleSegments, Limit: perSegment };
    let seen = 0;
    for await (const page of scanPages(context, { ...place, ...projection(names) }, signal)) {
      for (const item of page.items) {
        for (const { part, schema } of schemas) {
          const key = keyPartition(schema, item);
          if (key === undefined || !keyNames(schema).every((name) => Object.hasOwn(item, name))) continue;
          counts.get(part)?.add(canonicalValue(key));
        }
      }
      seen += page.items.length;
      items += page.items.length;
      if (page.next === undefined || seen < perSegment) continue;
      complete = false;
      return;
    }
  };
  await Promise.all(Array.from({ length: sampleSegments }, (_, segment) => look(segment)));
  const parts = [...counts]
    .map(([part, count]) => ({ part, spread: count.spread }))
    .filter(({ part, spread }) => spread.total > 0 && (part !== '' || complete));
  return { parts, items, complete };
}
