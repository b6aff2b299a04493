import { attributeOf, type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import type { KeyType } from '../../../tables/model/key-types.ts';
import { prove } from '../../../tables/model/prove.ts';
import {
  type Index,
  type KeyAttribute,
  type KeySchema,
  keyAttributes,
  keyNames,
  type Projection,
} from '../../../tables/model/table.ts';
import { templatesOverlap } from '../../../tables/model/template.ts';
import type { IndexDescription, KeyElement, TableDescription } from '../store/store.ts';
import { draftEntity, type Ground, isInherited } from './draft-entity.ts';
import { modelOf } from './draft-model.ts';
import { camelCase, NameBook, singular, tableVariable, upperSnake } from './draft-names.ts';
import { draftPatterns, kindOfKey, templateIn } from './draft-patterns.ts';
import { cutKey, findTypeAttribute, keyWords } from './key-prefixes.ts';
import type { AttributeDraft, EntityDraft, TableDraft } from './table-draft.ts';

/** Items of the table, and whether there are others. */
export interface SeenItems {
  readonly items: readonly Item[];
  readonly complete: boolean;
}

/** What the definition is called and where the table stands. */
export interface Naming {
  readonly name: string;
  readonly system: string;
  readonly suffix: 'always' | 'outside-prod';
  /** The kind of the stack that the table was found in: its capacity is that kind's. */
  readonly kind: 'development' | 'production';
}

type Described = Pick<TableDescription, 'key' | 'attributes' | 'indexes' | 'ttl' | 'billing' | 'capacity'> & {
  readonly settings: Pick<TableDescription['settings'], 'localIndexes'>;
};

/** A first definition from what a table is and some of its items. It always proves; what it says of the items is true of these. */
export function draftTable(described: Described, sample: SeenItems, naming: Naming): TableDraft {
  const { ground, notes } = groundOf(described, sample);
  const entities = draftEntities(ground, sample.items, naming);
  const draft = assemble(described, ground, entities, naming, notes);
  if (prove([modelOf(draft)]).length === 0) return draft;
  // Forms that cannot be told apart after all: one entity whose keys a writer gives.
  const [whole] = [bareEntity(ground, sample.items, naming)];
  return assemble(described, ground, [whole], naming, [
    ...notes,
    'The items were not told apart: entities are to be made by hand.',
  ]);
}

function assemble(
  described: Described,
  ground: Ground,
  entities: readonly EntityDraft[],
  naming: Naming,
  notes: readonly string[],
): TableDraft {
  const { key, indexes, ttl } = ground;
  const patterns = draftPatterns({ key, indexes, entities });
  const unread = indexes.filter(({ name }) => !patterns.some(({ index }) => index === name));
  const capacity = { kind: naming.kind, ...described.capacity };
  return {
    name: naming.name,
    variable: tableVariable(naming.name),
    system: naming.system,
    namespace: camelCase(naming.name),
    suffix: naming.suffix,
    description: `The table ${naming.name}`,
    key,
    indexes,
    ...(ttl === undefined ? {} : { ttl }),
    ...(described.billing === 'PROVISIONED' && capacity.read > 0 ? { capacity } : {}),
    entities,
    patterns,
    notes: [...notes, ...unread.map(({ name }) => `No item seen stands in the index ${name}: its pattern is to be written.`)],
  };
}

function groundOf(
  described: Described,
  { items, complete }: SeenItems,
): { readonly ground: Ground; readonly notes: readonly string[] } {
  const schema = { key: schemaOf(described), indexes: indexesOf(described) };
  const isOn = described.ttl.status === 'ENABLED' || described.ttl.status === 'ENABLING';
  const keys = new Set(keyAttributes(schema).map(({ name }) => name));
  const facts = { keys, typeAttribute: findTypeAttribute(items, keys) };
  const words = new Map([...keys].map((name) => [name, keyWords(items, name, facts)]));
  const ttl = isOn && described.ttl.attribute !== undefined ? { ttl: described.ttl.attribute } : {};
  const odd = [...new Set(items.flatMap((item) => Object.keys(item)))].filter(isInherited);
  const missing = described.settings.localIndexes.map(
    (name) => `The index ${name} is a local one, which definitions do not have: it was left out.`,
  );
  const left = odd.map((name) => `The attribute ${name} was left out: every object has one of that name.`);
  return { ground: { ...schema, ...ttl, facts, words, complete }, notes: [...missing, ...left] };
}

function indexesOf(described: Described): readonly Index[] {
  return described.indexes.map((index) => ({
    name: index.name,
    hash: keysOf(described, index.key, 'HASH'),
    range: keysOf(described, index.key, 'RANGE'),
    projection: projectionOf(index),
  }));
}

function keysOf({ attributes }: Described, key: readonly KeyElement[], kind: KeyElement['KeyType']): readonly KeyAttribute[] {
  const names = key.filter((one) => one.KeyType === kind).map(({ AttributeName }) => AttributeName);
  return names.map((name) => ({ name, type: (attributes[name] ?? 'S') as KeyType }));
}

function schemaOf(described: Described): KeySchema {
  const [hash = { name: '', type: 'S' as const }] = keysOf(described, described.key, 'HASH');
  const [range] = keysOf(described, described.key, 'RANGE');
  return range === undefined ? { hash } : { hash, range };
}

function projectionOf({ projection }: IndexDescription): Projection {
  if (projection.ProjectionType !== 'INCLUDE') return projection.ProjectionType;
  return { include: [...(projection.NonKeyAttributes ?? [])].toSorted() };
}

/** One entity for each form of key and each type that items say; those whose keys might be the same are one. */
function draftEntities(ground: Ground, items: readonly Item[], naming: Naming): readonly EntityDraft[] {
  if (items.length === 0) return [bareEntity(ground, items, naming)];
  const forms = new Map<string, Item[]>();
  for (const item of items) {
    const form = formOf(ground, item);
    forms.set(form, [...(forms.get(form) ?? []), item]);
  }
  let groups = [...forms.values()];
  for (;;) {
    const entities = nameAll(ground, groups, naming);
    const pair = overlapping(ground, entities);
    if (pair === undefined) return entities;
    const [first, second] = pair;
    groups = groups.flatMap((group, at) =>
      at === second ? [] : at === first ? [[...group, ...(groups[second] ?? [])]] : [group],
    );
  }
}

function formOf({ key, facts, words }: Ground, item: Item): string {
  const type = facts.typeAttribute === undefined ? '' : (scalarText(attributeOf(item, facts.typeAttribute)) ?? '');
  const keys = keyNames(key).map((name) => {
    const cut = cutKey(scalarText(attributeOf(item, name)) ?? '');
    return cut !== undefined && words.get(name)?.has(cut.word) ? `${cut.word}${cut.mark}${cut.rest.split('#').length}` : '*';
  });
  return JSON.stringify([type, ...keys]);
}

/** Two entities whose primary keys may be the same: one record would overwrite the other. */
function overlapping({ key }: Ground, entities: readonly EntityDraft[]): readonly [number, number] | undefined {
  for (const [first, a] of entities.entries()) {
    for (const [second, b] of entities.entries()) {
      const shared = keyNames(key).every((name) => templatesOverlap(templateIn(a, name) ?? '', templateIn(b, name) ?? ''));
      if (second > first && shared) return [first, second];
    }
  }
  return undefined;
}

function nameAll(ground: Ground, groups: readonly (readonly Item[])[], naming: Naming): readonly EntityDraft[] {
  const names = new NameBook();
  const own = tableVariable(naming.name);
  const variables = NameBook.beside(own);
  return groups.map((items) => {
    const name = names.take(wordFor(ground, items) ?? plainName(naming));
    const wanted = camelCase(name);
    return draftEntity(ground, items, {
      name,
      variable: variables.take(wanted === own ? `${wanted}Record` : wanted),
    });
  });
}

/** What the items call themselves: their type, or the word that their range key, or their key, begins with. */
function wordFor({ key, facts, words }: Ground, items: readonly Item[]): string | undefined {
  const same = (texts: readonly (string | undefined)[]) => (new Set(texts).size === 1 ? texts[0] : undefined);
  const type = facts.typeAttribute;
  const own = type === undefined ? undefined : same(items.map((item) => scalarText(attributeOf(item, type))));
  const begins = keyNames(key)
    .toReversed()
    .map((name) => {
      const word = same(items.map((item) => cutKey(scalarText(attributeOf(item, name)) ?? '')?.word));
      return word !== undefined && words.get(name)?.has(word) ? word : undefined;
    });
  return [own, ...begins].map((word) => upperSnake(word ?? '')).find((word) => word !== '');
}

/** What records are called that say nothing of themselves. */
const plainName = ({ name }: Naming): string => upperSnake(singular(name)) || 'ITEM';

/** All items as one entity that derives nothing. */
function bareEntity(ground: Ground, items: readonly Item[], naming: Naming): EntityDraft {
  const name = plainName(naming);
  const none = { ...ground, words: new Map(), facts: { ...ground.facts, typeAttribute: undefined } };
  const variable = NameBook.beside(tableVariable(naming.name)).take(`${camelCase(name)}Record`);
  const draft = items.length === 0 ? undefined : draftEntity(none, items, { name, variable });
  const own = new Set(keyNames(ground.key));
  const keys = keyAttributes(ground).map(({ name: attribute, type }): [string, AttributeDraft] => {
    const seen = own.has(attribute) ? 'a key of the table' : 'a key of an index';
    return [attribute, { type: { kind: kindOfKey[type] }, nullable: false, optional: !own.has(attribute), seen }];
  });
  const ttl: readonly [string, AttributeDraft][] =
    ground.ttl === undefined
      ? []
      : [[ground.ttl, { type: { kind: 'epochSeconds' }, nullable: false, optional: true, seen: 'when it expires' }]];
  const attributes = { ...Object.fromEntries([...ttl, ...keys]), ...draft?.attributes, ...Object.fromEntries(keys) };
  return { name, variable, description: `${name} records`, attributes, constants: {}, derive: [] };
}
