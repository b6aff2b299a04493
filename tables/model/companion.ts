import { type Item, setAttribute } from './attribute-value.ts';
import { holds } from './condition.ts';
import type { Entity } from './entity.ts';
import { deriveAttributes } from './item.ts';
import type { Table } from './table.ts';

/** A record that goes with another one. */
export interface CompanionItem {
  readonly entity: Entity;
  readonly item: Item;
}

/** The records that go with an item of the entity, whole. One that cannot be made of it is an error that says why. */
export function companionsOf(table: Table, entity: Entity, item: Item): readonly CompanionItem[] {
  return entity.companions
    .filter(({ when }) => when === undefined || holds(when, item))
    .map((companion) => ({ entity: companion.entity, item: companionItem(table, companion.entity, item) }));
}

function companionItem(table: Table, entity: Entity, owner: Item): Item {
  const own: Item = {};
  // The owner's own ttl where it has one: they expire together, whatever the rule says.
  const carried = [...Object.keys(entity.schema.shape), ...(table.ttl === undefined ? [] : [table.ttl])];
  for (const name of carried) if (Object.hasOwn(owner, name)) setAttribute(own, name, owner[name] as Item[string]);
  for (const [name, value] of Object.entries(entity.constants)) setAttribute(own, name, { S: value });
  const { set, problems } = deriveAttributes(table, entity, own);
  if (problems.length > 0) throw new Error(problems.join('; '));
  return { ...set, ...own };
}
