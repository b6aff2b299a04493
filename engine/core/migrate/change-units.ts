import { type AttributeValue, attributeOf, type Item } from '../../../tables/model/attribute-value.ts';
import { type Index, keyNames, keyPartition, type Table } from '../../../tables/model/table.ts';
import { estimatePutUnits, writeUnits } from '../capacity/write-units.ts';
import type { GuardedChange } from './decide-item.ts';

/** DynamoDB Developer Guide, "Transactions: capacity management": a transactional write costs two units for one. */
export const transactionFactor = 2;

/**
 * What a change is expected to cost in write units: the item, and every index that it puts an entry into, takes one out of,
 * or moves one in (which is two writes; Developer Guide, "Global secondary indexes: provisioned throughput considerations").
 * `itemBytes` is the size of the whole item, which the change itself does not know. With `before`, an item that has all
 * its index keys, it is exact as long as entries of keys and included attributes stay within a kilobyte; without, attributes
 * that the change does not touch count as there.
 */
export function changeUnits(table: Table, change: GuardedChange, itemBytes: number, before?: Item): number {
  if (change.kind === 'insert') {
    const write = { name: table.name, key: table.key, indexes: table.indexes };
    return (estimatePutUnits(write, change.item) + 1) * transactionFactor;
  }
  const bytes = writeUnits(itemBytes);
  return table.indexes.reduce(
    (units, index) => units + entriesWritten(index, change, before).length * entryUnits(index, bytes),
    bytes,
  );
}

/** An entry that a change writes: of the table (`''`) or of an index, by its partition key. */
export interface WrittenEntry {
  readonly part: string;
  /** Undefined where the change does not tell, and the item is not known. */
  readonly key: AttributeValue | undefined;
}

/** Everything that a change writes, by where it falls; `before` as for `changeUnits`. */
export function writtenEntries(
  table: Pick<Table, 'key' | 'indexes'>,
  change: GuardedChange,
  before?: Item,
): readonly WrittenEntry[] {
  const own = { part: '', key: keyPartition(table.key, change.key) };
  return [
    own,
    ...table.indexes.flatMap((index) => {
      const keys = change.kind === 'insert' ? insertedInto(index, change.item) : entriesWritten(index, change, before);
      return keys.map((key) => ({ part: index.name, key }));
    }),
  ];
}

function insertedInto(index: Index, item: Item): readonly (AttributeValue | undefined)[] {
  return keyNames(index).every((name) => Object.hasOwn(item, name)) ? [keyPartition(index, item)] : [];
}

function entryUnits(index: Index, units: number): number {
  return index.projection === 'ALL' ? units : 1;
}

type UpdateChange = Extract<GuardedChange, { readonly kind: 'update' }>;

/** The partition keys of the entries written in one index: of the one that is taken out, of the one that is put in. */
function entriesWritten(index: Index, change: UpdateChange, item: Item | undefined): readonly (AttributeValue | undefined)[] {
  const names = keyNames(index);
  const untouched = (name: string) => item === undefined || Object.hasOwn(item, name);
  const isIn = names.every((name) => (isTouched(change, name) ? Object.hasOwn(change.before, name) : untouched(name)));
  const willBeIn = names.every((name) => (isTouched(change, name) ? Object.hasOwn(change.set, name) : untouched(name)));
  const keyIn = (side: Item) => keyPartition(index, (name) => attributeOf(isTouched(change, name) ? side : (item ?? {}), name));
  if (names.some((name) => isTouched(change, name))) {
    return [...(isIn ? [keyIn(change.before)] : []), ...(willBeIn ? [keyIn(change.set)] : [])];
  }
  return isIn && isCarried(index, change) ? [keyIn(change.before)] : [];
}

/** An attribute that the change touches is copied into the index. */
function isCarried({ projection }: Index, change: UpdateChange): boolean {
  if (typeof projection === 'string') return projection === 'ALL';
  return projection.include.some((name) => isTouched(change, name));
}

function isTouched({ set, remove }: { readonly set: Item; readonly remove: readonly string[] }, name: string): boolean {
  return Object.hasOwn(set, name) || remove.includes(name);
}
