import type { Item } from '../../../tables/model/attribute-value.ts';
import type { SeenItems } from '../../core/begin/draft-table.ts';
import { type ScanContext, scanPages } from '../store/read-pages.ts';

/** Looks spread over the table: items that lie together are alike. */
const segments = 8;

/** Items of any size are looked at, so their number alone bounds nothing: a read stops here, in read units. */
export const maxSampleUnits = 1_000;

export interface ItemSample extends SeenItems {
  readonly units: number;
}

/** About so many items of a table, from all over it, within the read budget. */
export async function sampleItems(
  context: ScanContext,
  tableName: string,
  count: number,
  signal?: AbortSignal,
): Promise<ItemSample> {
  const items: Item[] = [];
  const perSegment = Math.ceil(count / segments);
  let units = 0;
  let complete = true;
  const look = async (segment: number): Promise<void> => {
    const request = { TableName: tableName, Segment: segment, TotalSegments: segments, Limit: perSegment };
    let seen = 0;
    for await (const page of scanPages(context, request, signal)) {
      for (const item of page.items) items.push(item);
      seen += page.items.length;
      units += page.units;
      if (page.next === undefined) return;
      if (seen < perSegment && units < maxSampleUnits) continue;
      complete = false;
      return;
    }
  };
  await Promise.all(Array.from({ length: segments }, (_, segment) => look(segment)));
  return { items, complete, units };
}
