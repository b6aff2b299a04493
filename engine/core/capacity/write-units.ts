import { attributeOf, type Item } from '../../../tables/model/attribute-value.ts';
import { type Index, keyNames } from '../../../tables/model/table.ts';
import { itemBytes, valueBytes } from '../item/item-size.ts';
import type { TransactEntry } from '../store/store.ts';
import type { WriteTable } from '../write/write-request.ts';

/** DynamoDB Developer Guide, "Write capacity units": one unit writes up to 1 KB, rounded up. */
export const bytesPerWriteUnit = 1_024;

/** Write units for this many bytes; a write of nothing still costs one. */
export function writeUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / bytesPerWriteUnit));
}

/**
 * What a put is expected to cost: the item, and an entry in every index that it has the keys of (Developer Guide, "Global
 * secondary indexes: provisioned throughput considerations"). Replacing an item may cost more, or less where an index
 * entry stays as it is; the limiter learns the difference from the answers.
 */
export function estimatePutUnits(table: WriteTable, item: Item, bytes: number = itemBytes(item)): number {
  let units = writeUnits(bytes);
  for (const index of table.indexes) {
    if (isInIndex(index, item)) units += writeUnits(entryBytes(table, index, item, bytes));
  }
  return units;
}

/** What a delete is expected to cost: nothing is known of the item, so one unit each for the table and its indexes. */
export function estimateDeleteUnits(table: WriteTable): number {
  return 1 + table.indexes.length;
}

function isInIndex(index: Index, item: Item): boolean {
  return keyNames(index).every((name) => Object.hasOwn(item, name));
}

function entryBytes(table: WriteTable, index: Index, item: Item, bytes: number): number {
  if (index.projection === 'ALL') return bytes;
  const included = index.projection === 'KEYS_ONLY' ? [] : index.projection.include;
  let size = 0;
  for (const name of new Set([...keyNames(table.key), ...keyNames(index), ...included])) {
    const value = attributeOf(item, name);
    if (value !== undefined) size += Buffer.byteLength(name) + valueBytes(value);
  }
  return size;
}

/** DynamoDB Developer Guide, "Transactions: capacity management": two underlying writes of every item. */
const transactionFactor = 2;

/**
 * What a transaction is expected to cost. Of an item that is updated only the part that is sent is known; the ledger's, whose
 * updates these are, hardly hold more than that.
 */
export function transactionUnits(entries: readonly TransactEntry[]): number {
  return entries.reduce((sum, entry) => sum + transactionFactor * writeUnits(entryBytesOf(entry)), 0);
}

function entryBytesOf(entry: TransactEntry): number {
  if ('Put' in entry) return itemBytes(entry.Put.Item);
  const action = 'Update' in entry ? entry.Update : 'Delete' in entry ? entry.Delete : entry.ConditionCheck;
  return itemBytes(action.Key) + itemBytes(action.ExpressionAttributeValues ?? {});
}
