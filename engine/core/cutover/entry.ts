import { attributeOf, type Item } from '../../../tables/model/attribute-value.ts';
import { canonicalItem, type Digest, keyIdentity } from '../../../tables/model/canonical.ts';
import { keyOf } from '../../../tables/model/item.ts';
import type { LegacySort } from '../../../tables/model/pattern.ts';
import type { Table } from '../../../tables/model/table.ts';

/** What a comparison keeps of a record: enough to tell whether, where and as what it was answered. */
export interface AnswerEntry {
  /** The primary key as one text. */
  readonly id: string;
  readonly key: Item;
  /** The attributes that the answer is sorted by, and nothing else. */
  readonly sorted: Item;
  /** Of the contents: equal for equal contents. */
  readonly digest: string;
}

export function answerEntryOf(table: Table, sort: readonly LegacySort[], item: Item, digest: Digest): AnswerEntry {
  const sorted = sort.flatMap(({ by }) => {
    const value = attributeOf(item, by);
    return value === undefined ? [] : [[by, value] as const];
  });
  return {
    id: keyIdentity(table.key, item),
    key: keyOf(table, item),
    sorted: Object.fromEntries(sorted),
    digest: digest(canonicalItem(item)),
  };
}
