import type { AttributeValue, Item } from '../../../tables/model/attribute-value.ts';
import { keyOf } from '../../../tables/model/item.ts';
import type { LegacySort } from '../../../tables/model/pattern.ts';
import type { Table } from '../../../tables/model/table.ts';

/** What a comparison keeps of a record: enough to tell whether, where and as what it was answered. */
export interface Entry {
  /** The primary key as one text. */
  readonly id: string;
  readonly key: Item;
  /** The attribute that the answer is sorted by, and nothing else. */
  readonly sorted: Item;
  /** Equal for equal contents. */
  readonly digest: string;
}

export function entryOf(table: Table, sort: LegacySort | undefined, item: Item): Entry {
  const key = keyOf(table, item);
  const by = sort === undefined ? undefined : item[sort.by];
  return {
    id: JSON.stringify(key),
    key,
    sorted: sort === undefined || by === undefined ? {} : { [sort.by]: by },
    digest: digestOf(item),
  };
}

/**
 * 64 bits of the contents, in two streams of the FNV-1a kind. It tells versions of one record apart, nobody has a reason to
 * forge it, and the core has no cryptography.
 */
export function digestOf(item: Item): string {
  const text = canonical({ M: item });
  let high = 0x811c9dc5;
  let low = 0xc9dc5118;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit ^ (high >>> 15), 0x85ebca6b);
  }
  return `${(high >>> 0).toString(36)}.${(low >>> 0).toString(36)}`;
}

/** One text for equal values, whatever the order of attributes and set members. */
function canonical(value: AttributeValue): string {
  if ('M' in value) {
    const members = Object.entries(value.M).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`;
  }
  if ('L' in value) return `[${value.L.map(canonical).join()}]`;
  if ('SS' in value) return `SS${JSON.stringify(value.SS.toSorted())}`;
  if ('NS' in value) return `NS${JSON.stringify(value.NS.toSorted())}`;
  if ('BS' in value) return `BS${JSON.stringify(value.BS.map((bytes) => Buffer.from(bytes).toString('base64')).toSorted())}`;
  if ('B' in value) return `B${Buffer.from(value.B).toString('base64')}`;
  return JSON.stringify(value);
}
