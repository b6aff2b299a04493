import { type Item, plainItem } from './attribute-value.ts';
import type { Entity, RecordOf } from './entity.ts';
import { recoverKeyValues } from './item.ts';
import type { Table } from './table.ts';

export type ReadRecord<E extends Entity = Entity> = { readonly record: RecordOf<E> } | { readonly problems: readonly string[] };

/**
 * The plain record of a stored item, led by the entity's schema: decimals as strings, whole numbers as numbers, sets as
 * sets. Keys, index attributes and whatever else the schema does not name are left out. Problems name the attribute and never
 * its value, because they may end up in a log.
 */
export function tryReadRecord<E extends Entity>(entity: E, item: Item): ReadRecord<E> {
  const known = Object.entries(item).filter(([name]) => Object.hasOwn(entity.schema.shape, name));
  // Numbers arrive as texts, which the schemas of both decimals and whole numbers take.
  const parsed = entity.stored.safeParse(plainItem(Object.fromEntries(known)));
  if (parsed.success) return { record: parsed.data as RecordOf<E> };
  const problems = parsed.error.issues.map(({ path }) => {
    const place = path.map(String).join('.');
    const missing = path.length === 1 && !Object.hasOwn(item, place);
    return `${place}: ${missing ? 'missing' : 'not of the form that the schema asks for'}`;
  });
  return { problems: [...new Set(problems)] };
}

/** Which of the entities an item is; where there is one only, it is that one. */
export function pickEntity(table: Table, entities: readonly Entity[], item: Item): Entity | undefined {
  if (entities.length === 1) return entities[0];
  return entities.find((entity) => recoverKeyValues(table, entity, item) !== undefined);
}
