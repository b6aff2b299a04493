import type { Item } from '../../../tables/model/attribute-value.ts';
import type { InputOf } from '../../../tables/model/entity.ts';
import type { LedgerEntity } from '../../../tables/model/ledger/ledger-entity.ts';
import { type LedgerWrite, put, removeItem } from './ledger-write.ts';

/** What becomes of a damaged record, and what that means to people. */
export interface Mending {
  readonly outcome: 'rebuilt' | 'dropped';
  readonly write: LedgerWrite;
  readonly means: string;
}

export function rebuilt<E extends LedgerEntity>(entity: E, record: InputOf<E>, means: string): Mending {
  return { outcome: 'rebuilt', write: put(entity, record), means };
}

export function dropped(item: Item, means: string): Mending {
  return { outcome: 'dropped', write: removeItem(item), means };
}
