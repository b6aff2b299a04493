import { attributeOf, type Item } from '../../../tables/model/attribute-value.ts';
import { pricesByRegion, requestCost } from '../../../tables/model/stack/prices.ts';
import type { Index, Table } from '../../../tables/model/table.ts';
import { writeUnits } from '../capacity/write-units.ts';
import { itemBytes, valueBytes } from '../item/item-size.ts';

/** What leaving out made-up attributes saves, and what moving there costs, by some records of the table. */
export interface IndexSavings {
  readonly sampled: number;
  /** Bytes of the made-up attributes in one record, on average. */
  readonly bytesPerItem: number;
  /** Write units that a million new records cost less, indexes included. */
  readonly unitsPerMillion: number;
  /** Dollars a month for a million records, table and indexes that hold the attributes; undefined without a price. */
  readonly storagePerMillion: number | undefined;
  /** Records that lack the stored constant which the natural index needs in its key. */
  readonly lacking: number;
  /**
   * Write units to fill the new index with a million records, to take the made-up attributes out of them, and to give the constant
   * first to those that lack it.
   */
  readonly moving: { readonly fill: number; readonly remove: number; readonly backfill: number };
  readonly movingCost: number | undefined;
}

const million = 1_000_000;
const bytesPerGigabyte = 1_024 ** 3;

export function savingsOf(
  table: Pick<Table, 'indexes'>,
  { spared, lacks = () => false }: { readonly spared: readonly string[]; readonly lacks?: (item: Item) => boolean },
  items: readonly Item[],
  region: string,
): IndexSavings {
  const sizes = items.map((item) => ({ all: itemBytes(item), made: sparedBytes(item, spared), lacks: lacks(item) }));
  const mean = (of: (size: (typeof sizes)[number]) => number) =>
    items.length === 0 ? 0 : sizes.reduce((sum, size) => sum + of(size), 0) / items.length;
  const copies = 1 + table.indexes.filter(({ projection }: Index) => projection === 'ALL').length;
  const lessUnits = mean(({ all, made }) => (writeUnits(all) - writeUnits(all - made)) * copies);
  // Filling an index takes write units of that index (CloudWatch, OnlineIndexConsumedWriteCapacity).
  const fill = mean(({ all, made }) => writeUnits(all - made));
  const remove = mean(({ all }) => writeUnits(all) * copies);
  const backfill = mean((size) => (size.lacks ? writeUnits(size.all) * copies : 0));
  const storage = pricesByRegion[region]?.storage;
  const bytes = mean(({ made }) => made);
  return {
    sampled: items.length,
    bytesPerItem: bytes,
    unitsPerMillion: lessUnits * million,
    storagePerMillion: storage === undefined ? undefined : ((bytes * copies * million) / bytesPerGigabyte) * storage,
    lacking: sizes.filter((size) => size.lacks).length,
    moving: { fill: fill * million, remove: remove * million, backfill: backfill * million },
    movingCost: requestCost(region, { read: 0, write: (fill + remove + backfill) * million }),
  };
}

function sparedBytes(item: Item, spared: readonly string[]): number {
  return spared.reduce((sum, name) => {
    const value = attributeOf(item, name);
    return value === undefined ? sum : sum + Buffer.byteLength(name) + valueBytes(value);
  }, 0);
}
