import type { Item } from '../../../tables/model/attribute-value.ts';
import { type Index, keyNames, type Table } from '../../../tables/model/table.ts';
import { estimatePutUnits, writeUnits } from '../write-units.ts';
import type { Change } from './decide-item.ts';

/** DynamoDB Developer Guide, "Transactions: capacity management": a transactional write costs two units for one. */
export const transactionFactor = 2;

/**
 * What a change is expected to cost in write units: the item, and every index that it puts an entry into, takes one out of,
 * or moves one in (which is two writes; Developer Guide, "Global secondary indexes: provisioned throughput considerations").
 * `itemBytes` is the size of the whole item, which the change itself does not know.
 */
export function changeUnits(table: Table, change: Change, itemBytes: number): number {
  if (change.kind === 'insert') {
    const write = { name: table.name, key: table.key, indexes: table.indexes };
    return (estimatePutUnits(write, change.item) + 1) * transactionFactor;
  }
  const bytes = writeUnits(itemBytes);
  return table.indexes.reduce((units, index) => units + indexWrites(index, change) * entryUnits(index, bytes), bytes);
}

function entryUnits(index: Index, units: number): number {
  return index.projection === 'ALL' ? units : 1;
}

/** Entries written in one index. Attributes that the change does not touch count as there, since most items have them. */
function indexWrites(index: Index, change: Extract<Change, { readonly kind: 'update' }>): number {
  const names = keyNames(index);
  const touched = names.some((name) => isTouched(change, name));
  if (!touched) return index.projection === 'ALL' ? 1 : 0;
  const isIn = (has: (name: string) => boolean) => names.every(has);
  const knownBefore = (name: string) => Object.hasOwn(change.before, name) || !isTouched(change, name);
  const knownAfter = (name: string) => Object.hasOwn(change.set, name) || !change.remove.includes(name);
  return Number(isIn(knownBefore)) + Number(isIn(knownAfter));
}

function isTouched({ set, remove }: { readonly set: Item; readonly remove: readonly string[] }, name: string): boolean {
  return Object.hasOwn(set, name) || remove.includes(name);
}
