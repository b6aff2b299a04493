import { attributeOf, type Item } from '../../../tables/model/attribute-value.ts';
import { pricesByRegion, requestCost } from '../../../tables/model/stack/prices.ts';
import { type Index, keyNames, type Table } from '../../../tables/model/table.ts';
import { writeUnits } from '../capacity/write-units.ts';
import { itemBytes, valueBytes } from '../item/item-size.ts';
import { readUnitBytes } from '../read/explain-read.ts';

/** What leaving out made-up attributes saves, and what moving there costs, by some records of the table. */
export interface IndexSavings {
  /** Records of the index that were measured, of so many of its table. */
  readonly sampled: number;
  readonly looked: number;
  /** Bytes of the made-up attributes in one record, on average. */
  readonly bytesPerItem: number;
  /** Write units that a new record costs less, and a million of them, indexes included. */
  readonly unitsPerItem: number;
  readonly unitsPerMillion: number;
  /** Dollars a month for a million records, table and indexes that hold the attributes; undefined without a price. */
  readonly storagePerMillion: number | undefined;
  /** Those that lack an attribute which the natural one needs in its key, and which they lack. */
  readonly lacking: number;
  readonly lacked: readonly string[];
  /**
   * Write units to fill the new index with a million records, to take the made-up attributes out of them, and to give those first
   * what they lack that lack something; and the read units of all passes over them.
   */
  readonly moving: { readonly fill: number; readonly remove: number; readonly backfill: number; readonly read: number };
  readonly movingCost: number | undefined;
}

const million = 1_000_000;
const bytesPerGigabyte = 1_024 ** 3;

/**
 * How often a move reads the table in whole units of 4 KB: half for the check of keys, up to 2.6 for parity (as measured, docs/indexes.md), and
 * for the removal a consistent look, its pass and its verify.
 */
const timesRead = 0.5 + 2.6 + 1 + 0.5 + 1;

interface Moved {
  readonly spared: readonly string[];
  readonly lacks?: (item: Item) => readonly string[];
  /** Records of the table that were looked at to find those of the index; these alone when left out. */
  readonly looked?: number;
}

/** `items`: records that stand in the index, or would in the natural one. */
export function savingsOf(
  table: Pick<Table, 'indexes'>,
  { spared, lacks = () => [], looked }: Moved,
  items: readonly Item[],
  region: string,
): IndexSavings {
  const sizes = items.map((item) => ({ all: itemBytes(item), made: sparedBytes(item, spared), lacks: lacks(item) }));
  const mean = (of: (size: (typeof sizes)[number]) => number) =>
    items.length === 0 ? 0 : sizes.reduce((sum, size) => sum + of(size), 0) / items.length;
  const copies = 1 + table.indexes.filter(({ projection }: Index) => projection === 'ALL').length;
  const holders = 1 + table.indexes.filter((index) => holds(index, spared)).length;
  const lessUnits = mean(({ all, made }) => (writeUnits(all) - writeUnits(all - made)) * copies);
  // Filling an index takes write units of that index (CloudWatch, OnlineIndexConsumedWriteCapacity).
  const fill = mean(({ all, made }) => writeUnits(all - made));
  const remove = mean(({ all }) => writeUnits(all) * copies);
  const backfill = mean((size) => (size.lacks.length > 0 ? writeUnits(size.all) * copies : 0));
  // The whole table is read for the records of the index, the others, too.
  const others = items.length === 0 ? 1 : (looked ?? items.length) / items.length;
  const read = mean(({ all }) => (all / readUnitBytes) * timesRead) * others;
  const storage = pricesByRegion[region]?.storage;
  const bytes = mean(({ made }) => made);
  return {
    sampled: items.length,
    looked: looked ?? items.length,
    bytesPerItem: bytes,
    unitsPerItem: lessUnits,
    unitsPerMillion: lessUnits * million,
    storagePerMillion: storage === undefined ? undefined : ((bytes * holders * million) / bytesPerGigabyte) * storage,
    lacking: sizes.filter((size) => size.lacks.length > 0).length,
    lacked: [...new Set(sizes.flatMap((size) => size.lacks))],
    moving: { fill: fill * million, remove: remove * million, backfill: backfill * million, read: read * million },
    movingCost: requestCost(region, { read: read * million, write: (fill + remove + backfill) * million }),
  };
}

/** Its own key is in every index, whatever else it holds. */
function holds(index: Index, names: readonly string[]): boolean {
  const { projection } = index;
  if (projection === 'ALL') return true;
  const held = [...keyNames(index), ...(projection === 'KEYS_ONLY' ? [] : projection.include)];
  return names.some((name) => held.includes(name));
}

function sparedBytes(item: Item, spared: readonly string[]): number {
  return spared.reduce((sum, name) => {
    const value = attributeOf(item, name);
    return value === undefined ? sum : sum + Buffer.byteLength(name) + valueBytes(value);
  }, 0);
}
