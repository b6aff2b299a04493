import { attributeOf, type Item } from './attribute-value.ts';
import { canonicalItem } from './canonical.ts';
import { companionsOf } from './companion.ts';
import { absent } from './condition.ts';
import type { Entity } from './entity.ts';
import { keyOf } from './item.ts';
import type { Write } from './operation.ts';
import { reindex } from './reindex.ts';
import { keyNames, type Table } from './table.ts';

/** The writes that create a record and what goes with it, each only if its key is free. */
export function createWrites(table: Table, entity: Entity, item: Item, refusal: string): readonly Write[] {
  const guard = { kind: 'put', table, condition: absent(table.key.hash.name), refusal } as const;
  const beside = companionsOf(table, entity, item).map((companion): Write => ({ ...guard, item: companion.item }));
  return [{ ...guard, item, creates: entity }, ...beside];
}

/**
 * The writes that give a record other values, only if it is still as it was seen; none when it has them already. What goes with
 * it is a function of it, so it is written whole.
 */
export function changeWrites(table: Table, entity: Entity, item: Item, values: Item, gone: readonly string[]): readonly Write[] {
  const kept = Object.fromEntries(Object.entries(item).filter(([name]) => !gone.includes(name)));
  const { set, remove: unindexed } = reindex(table, entity, kept, values);
  const remove = [...gone.filter((name) => Object.hasOwn(item, name)), ...unindexed];
  if (Object.keys(set).length === 0 && remove.length === 0) return [];
  const after = { ...Object.fromEntries(Object.entries(kept).filter(([name]) => !unindexed.includes(name))), ...set };
  return [
    { kind: 'update', table, key: keyOf(table, item), set, remove, seen: seenOf(table, entity, item), refusal: 'changed' },
    ...companionChanges(table, entity, item, after),
  ];
}

function companionChanges(table: Table, entity: Entity, before: Item, after: Item): readonly Write[] {
  const were = companionsOf(table, entity, before);
  const are = companionsOf(table, entity, after);
  const gone = were.filter((one) => !are.some((other) => other.entity === one.entity));
  const changed = are.filter((one) => !were.some((other) => canonicalItem(other.item) === canonicalItem(one.item)));
  return [
    ...changed.map(({ item }): Write => ({ kind: 'put', table, item })),
    ...gone.map(({ item }): Write => ({ kind: 'delete', table, key: keyOf(table, item) })),
  ];
}

/** The writes that take a record away with all that goes with it, only if it is still as it was seen. */
export function removeWrites(table: Table, entity: Entity, item: Item): readonly Write[] {
  const beside = companionsOf(table, entity, item);
  return [
    { kind: 'delete', table, key: keyOf(table, item), seen: seenOf(table, entity, item), refusal: 'changed' },
    ...beside.map((companion): Write => ({ kind: 'delete', table, key: keyOf(table, companion.item) })),
  ];
}

/**
 * Every attribute that a reader gets, as it was: whoever else changed one of them in between is not overwritten. The documented
 * items have no version of their own to compare.
 */
function seenOf(table: Table, entity: Entity, item: Item): Readonly<Record<string, Item[string] | undefined>> {
  const keys = keyNames(table.key);
  const names = Object.keys(entity.schema.shape).filter((name) => !keys.includes(name));
  return Object.fromEntries(names.map((name) => [name, attributeOf(item, name)]));
}
