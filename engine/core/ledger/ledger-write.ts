import type { Item } from '../../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../../tables/model/canonical.ts';
import type { InputOf } from '../../../tables/model/entity.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import type { KeyOf, LedgerEntity } from '../../../tables/model/ledger/ledger-entity.ts';
import { itemBytes } from '../item/item-size.ts';
import type { TransactEntry } from '../store/store.ts';
import { deleteEntry, type EntryGuard, putEntry, updateEntry } from '../store/transact-entry.ts';
import { ledgerAttributes, ledgerItem, ledgerKey } from './ledger-codec.ts';

/** A change of one record, as it will be stored. */
export type LedgerWrite =
  | { readonly kind: 'put'; readonly key: Item; readonly item: Item }
  | { readonly kind: 'set'; readonly key: Item; readonly attributes: Item; readonly removed: readonly string[] }
  | { readonly kind: 'delete'; readonly key: Item };

/** The whole record, whatever was there. */
export function put<E extends LedgerEntity>(entity: E, record: InputOf<E>): LedgerWrite {
  const item = ledgerItem(entity, record);
  return { kind: 'put', key: primaryKey(item), item };
}

/** Members of a record that is there; those that are given as undefined are taken away. */
export function setMembers<E extends LedgerEntity>(entity: E, key: KeyOf<E>, members: Partial<InputOf<E>>): LedgerWrite {
  const removed = Object.entries(members).flatMap(([name, value]) => (value === undefined ? [name] : []));
  return { kind: 'set', key: ledgerKey(entity, key), attributes: ledgerAttributes(entity, members), removed };
}

export function remove<E extends LedgerEntity>(entity: E, key: KeyOf<E>): LedgerWrite {
  return { kind: 'delete', key: ledgerKey(entity, key) };
}

/** Takes an item away as it is named, also one that is no record. */
export function removeItem(item: Item): LedgerWrite {
  return { kind: 'delete', key: primaryKey(item) };
}

function primaryKey(item: Item): Item {
  return { PK: item.PK ?? { S: '' }, SK: item.SK ?? { S: '' } };
}

export function entryOf(table: string, write: LedgerWrite, guard?: EntryGuard): TransactEntry {
  if (write.kind === 'put') return putEntry(table, write.item, guard);
  if (write.kind === 'delete') return deleteEntry(table, write.key, guard);
  return updateEntry(table, write.key, { set: write.attributes, remove: write.removed }, guard);
}

/** One text for one record. */
export const identityOf = ({ key }: LedgerWrite): string => keyIdentity(ledger.key, key);

export function bytesOfWrite(write: LedgerWrite): number {
  return itemBytes(write.kind === 'put' ? write.item : write.kind === 'set' ? write.attributes : write.key);
}
