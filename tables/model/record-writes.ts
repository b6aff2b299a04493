import { attributeOf, type Item, scalarText } from './attribute-value.ts';
import { sameValue } from './canonical.ts';
import { type CompanionItem, companionsOf } from './companion.ts';
import { absent, all, any, equals, present } from './condition.ts';
import type { Entity } from './entity.ts';
import { keyOf, keyProblems } from './item.ts';
import type { Write } from './operation.ts';
import { keySources } from './reference.ts';
import { reindex } from './reindex.ts';
import { keyNames, type Table } from './table.ts';

/** The writes that create a record and what goes with it, each only if its key is free. */
export function createWrites(table: Table, entity: Entity, item: Item, refusal: string): readonly Write[] {
  const guard = { kind: 'put', table, condition: absent(table.key.hash.name), refusal } as const;
  const beside = companionsOf(table, entity, item).map((companion): Write => ({ ...guard, item: companion.item }));
  return [{ ...guard, item, refers: { entity, item } }, ...beside];
}

/** Other values of a record; attributes in `gone` are taken away. */
export interface NewValues {
  readonly set: Item;
  readonly gone: readonly string[];
}

export type ChangeWrites = { readonly writes: readonly Write[] } | { readonly problems: readonly string[] };

/** The writes that give a record other values, only if it is still as it was seen; none when it has them already. */
export function changeWrites(table: Table, entity: Entity, item: Item, { set: values, gone }: NewValues): ChangeWrites {
  const { set, remove: unindexed, problems } = reindex(table, entity, without(item, gone), values);
  const remove = [...gone.filter((name) => Object.hasOwn(item, name)), ...unindexed];
  const after = { ...without(item, remove), ...set };
  const wrong = [...problems, ...brokenRules(entity, item, after), ...keyProblems(table, after)];
  if (wrong.length > 0) return { problems: wrong };
  if (Object.keys(set).length + remove.length === 0) return { writes: [] };
  const refers = { entity, item: after, by: Object.keys(set) };
  const own = {
    kind: 'update',
    table,
    key: keyOf(table, item),
    set,
    remove,
    refers,
    ...asSeen(table, entity, item, 'changed'),
  } as const;
  return { writes: [own, ...companionChanges(table, entity, item, after)] };
}

/** Rules that held before; one that an older record breaks already is none of this change's making. */
function brokenRules({ rules }: Entity, before: Item, after: Item): readonly string[] {
  return rules
    .filter(({ holds }) => holds(before) && !holds(after))
    .map(({ attribute, expected }) => `${attribute}: expected ${expected}`);
}

/** What goes with the record follows it; its ttl is its own from the beginning, as its owner's is. */
function companionChanges(table: Table, entity: Entity, before: Item, after: Item): readonly Write[] {
  const were = companionsOf(table, entity, before);
  const are = companionsOf(table, entity, after);
  const { hash } = table.key;
  const followed = are.flatMap(({ entity: own, item }): readonly Write[] => {
    const former = were.find((one) => one.entity === own)?.item;
    if (former === undefined) return [{ kind: 'put', table, item, condition: absent(hash.name), refusal: 'exists' }];
    const set = Object.fromEntries(Object.entries(item).filter(([name, value]) => !sameValue(attributeOf(former, name), value)));
    const remove = Object.keys(former).filter((name) => !Object.hasOwn(item, name));
    if (Object.keys(set).length + remove.length === 0) return [];
    return [{ kind: 'update', table, key: keyOf(table, item), set, remove, condition: present(hash.name), refusal: 'not-found' }];
  });
  const gone = were.filter((one) => !are.some((other) => other.entity === one.entity));
  return [...followed, ...gone.map(({ item }): Write => ({ kind: 'delete', table, key: keyOf(table, item) }))];
}

/** The writes that take a record away with all that goes with it, only if it is still as it was seen. */
export function removeWrites(table: Table, entity: Entity, item: Item): readonly Write[] {
  const beside = companionsOf(table, entity, item);
  return [
    { kind: 'delete', table, key: keyOf(table, item), ...asSeen(table, entity, item, 'changed') },
    ...beside.map(
      (companion): Write => ({
        kind: 'delete',
        table,
        key: keyOf(table, companion.item),
        ...ofOwner(table, entity, companion),
      }),
    ),
  ];
}

/** The refusal that says: this goes with another record and stays; without it, the rest may go. */
export const anothers = 'anothers';

/**
 * Whose companion it is, where its key does not tell: older data may have two owners for one key, such as two orders of one id.
 * Then it is that of one of them.
 */
function ofOwner(table: Table, owner: Entity, { entity, item }: CompanionItem): Pick<Write, 'condition' | 'refusal'> {
  const told = keySources(table, entity);
  const own = keySources(table, owner)
    .filter((name) => !told.includes(name))
    .flatMap((name) => {
      const value = attributeOf(item, name);
      return value === undefined ? [] : [equals(name, 'N' in value ? value : (scalarText(value) ?? ''))];
    });
  return own.length === 0 ? {} : { condition: any(absent(table.key.hash.name), all(...own)), refusal: anothers };
}

/**
 * Every attribute that a reader gets, as it was: whoever else changed one of them in between is not overwritten. The documented
 * items have no version of their own to compare.
 */
export function asSeen<Refusal extends string>(table: Table, entity: Entity, item: Item, refusal: Refusal) {
  const keys = keyNames(table.key);
  const names = Object.keys(entity.schema.shape).filter((name) => !keys.includes(name));
  return { seen: Object.fromEntries(names.map((name) => [name, attributeOf(item, name)])), refusal } as const;
}

function without(item: Item, names: readonly string[]): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));
}
