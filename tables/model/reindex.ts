import { attributeOf, type Item } from './attribute-value.ts';
import { sameValue } from './canonical.ts';
import type { Entity } from './entity.ts';
import { deriveAttributes } from './item.ts';
import { keyNames, type Table } from './table.ts';

export interface RecordChange {
  readonly set: Item;
  readonly remove: readonly string[];
  /** Values that no index attribute can be made of. */
  readonly problems: readonly string[];
}

/**
 * The update that gives a record new values together with the index attributes that follow from them. Its ttl stays, which
 * somebody may have chosen, unless the time that it is counted from is among the values.
 */
export function reindex(table: Table, entity: Entity, item: Item, values: Item): RecordChange {
  const after = { ...item, ...values };
  const { ttl, ...timeless } = entity;
  const counted =
    ttl !== undefined && Object.hasOwn(values, ttl.from) && !sameValue(attributeOf(item, ttl.from), values[ttl.from]);
  const { set: derived, problems } = deriveAttributes(table, counted ? entity : timeless, after);
  const keys = new Set(keyNames(table.key));
  const owned = new Set(entity.derive.flatMap((rule) => Object.keys(rule.set)));
  const changed = Object.entries({ ...values, ...derived }).filter(
    ([name, value]) => !keys.has(name) && !sameValue(attributeOf(item, name), value),
  );
  return {
    set: Object.fromEntries(changed),
    remove: [...owned].filter((name) => Object.hasOwn(item, name) && !Object.hasOwn(derived, name) && !keys.has(name)),
    problems,
  };
}
