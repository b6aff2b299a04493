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
  /** The attribute that the answer is sorted by, and nothing else. */
  readonly sorted: Item;
  /** Of the contents: equal for equal contents. */
  readonly digest: string;
}

export function answerEntryOf(table: Table, sort: LegacySort | undefined, item: Item, digest: Digest): AnswerEntry {
  const by = sort === undefined ? undefined : attributeOf(item, sort.by);
  return {
    id: keyIdentity(table.key, item),
    key: keyOf(table, item),
    sorted: sort === undefined || by === undefined ? {} : { [sort.by]: by },
    digest: digest(canonicalItem(item)),
  };
}
