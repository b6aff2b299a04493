import type { Item } from '../../../tables/model/attribute-value.ts';
import { type Index, keyNames, type Table } from '../../../tables/model/table.ts';
import { estimatePutUnits, writeUnits } from '../capacity/write-units.ts';
import type { GuardedChange } from './decide-item.ts';

/** DynamoDB Developer Guide, "Transactions: capacity management": a transactional write costs two units for one. */
export const transactionFactor = 2;

/**
 * What a change is expected to cost in write units: the item, and every index that it puts an entry into, takes one out of,
 * or moves one in (which is two writes; Developer Guide, "Global secondary indexes: provisioned throughput considerations").
 * `itemBytes` is the size of the whole item, which the change itself does not know. With `before`, an item that has all
 * its index keys, it is exact; without, attributes that the change does not touch count as there.
 */
export function changeUnits(table: Table, change: GuardedChange, itemBytes: number, before?: Item): number {
  if (change.kind === 'insert') {
    const write = { name: table.name, key: table.key, indexes: table.indexes };
    return (estimatePutUnits(write, change.item) + 1) * transactionFactor;
  }
  const bytes = writeUnits(itemBytes);
  return table.indexes.reduce((units, index) => units + indexWrites(index, change, before) * entryUnits(index, bytes), bytes);
}

function entryUnits(index: Index, units: number): number {
  return index.projection === 'ALL' ? units : 1;
}

type UpdateChange = Extract<GuardedChange, { readonly kind: 'update' }>;

/** Entries written in one index. */
function indexWrites(index: Index, change: UpdateChange, item: Item | undefined): number {
  const names = keyNames(index);
  const untouched = (name: string) => item === undefined || Object.hasOwn(item, name);
  const isIn = names.every((name) => (isTouched(change, name) ? Object.hasOwn(change.before, name) : untouched(name)));
  const willBeIn = names.every((name) => (isTouched(change, name) ? Object.hasOwn(change.set, name) : untouched(name)));
  if (names.some((name) => isTouched(change, name))) return Number(isIn) + Number(willBeIn);
  return isIn && index.projection === 'ALL' ? 1 : 0;
}

function isTouched({ set, remove }: { readonly set: Item; readonly remove: readonly string[] }, name: string): boolean {
  return Object.hasOwn(set, name) || remove.includes(name);
}
