import { type Item, scalarText } from './attribute-value.ts';
import type { Entity, PatternByAttribute, Reference } from './entity.ts';
import { TablewrightError } from './error.ts';
import { templateOf } from './item.ts';
import type { Pattern } from './pattern.ts';
import { keyNames, type Table } from './table.ts';
import { placeholdersOf, renderTemplate } from './template.ts';

/** A record that another one refers to, and how it is known to be there. */
export interface Referent {
  readonly table: Table;
  readonly key: Item;
  /** Finds it where there is nothing under the key. */
  readonly orBy?: PatternCall;
  /** What to say when it is missing; names the attribute. */
  readonly missing: string;
}

/** What an item of the entity refers to, by these attributes or by all. An absent attribute refers to nothing. */
export function referentsOf(
  tables: readonly Table[],
  entity: Entity,
  item: Item,
  by: readonly string[] = Object.keys(entity.schema.shape),
): readonly Referent[] {
  return entity.references.flatMap((reference) => {
    const names = [reference.attribute, ...(reference.alike ?? [])];
    if (!names.some((name) => by.includes(name))) return [];
    const values = names.map((name) => scalarText(item[name]));
    return values.every((value) => value !== undefined) ? [referentOf(tables, entity, reference, values)] : [];
  });
}

function referentOf(tables: readonly Table[], entity: Entity, reference: Reference, values: readonly string[]): Referent {
  const { known, target, alike = [] } = reference;
  const named = Object.fromEntries([target, ...alike].map((name, at) => [name, values[at] ?? '']));
  const { table, entity: kept } = entityNamed(tables, known?.by ?? reference.entity);
  const key = keyFrom(table, kept, named);
  if (key === undefined) {
    throw new TypeError(`${entity.name}: ${reference.attribute}: the key of ${reference.entity} has more in it than it tells`);
  }
  const referent = { table, key, missing: describeMissing(reference, values) };
  return known === undefined ? referent : { ...referent, orBy: patternCall(tables, known.orBy, named) };
}

/** `product_id: expected a oms_config/PRODUCT with product_id "x", found none` */
export function describeMissing(
  { attribute, entity, target, alike = [] }: Reference,
  values: readonly (string | undefined)[],
): string {
  const wanted = [target, ...alike].map((name, at) => `${name} ${JSON.stringify(values[at])}`).join(' and ');
  return `${attribute}: expected a ${entity} with ${wanted}, found none`;
}

/** The table and entity of a name such as `oms_config/PRODUCT`. */
function entityNamed(tables: readonly Table[], name: string): { readonly table: Table; readonly entity: Entity } {
  const [tableName, entityName] = name.split('/');
  const table = tables.find((candidate) => candidate.name === tableName);
  const entity = table?.entities.find((candidate) => candidate.name === entityName);
  if (table !== undefined && entity !== undefined) return { table, entity };
  throw new TablewrightError('UNKNOWN_NAME', `${name}: its table is not deployed in this stack`, {
    next: 'Add its system to tablewright:systems of the stack, or use another stack.',
  });
}

const sourcesOf = new WeakMap<Entity, { readonly key: Table['key']; readonly names: readonly string[] }>();

/** The attributes that an entity's key is made of. Asked for every row of a fixture, so kept. */
export function keySources({ key }: Pick<Table, 'key'>, entity: Entity): readonly string[] {
  const known = sourcesOf.get(entity);
  if (known?.key === key) return known.names;
  const names = [...new Set(keyNames(key).flatMap((name) => placeholdersOf(templateOf(entity, name) ?? `{${name}}`)))];
  sourcesOf.set(entity, { key, names });
  return names;
}

/** The primary key of the record of these values; undefined when it takes more to tell it. */
export function keyFrom(table: Table, entity: Entity, values: Readonly<Record<string, string | Uint8Array>>): Item | undefined {
  const key: Item = {};
  for (const { name, type } of [table.key.hash, ...(table.key.range === undefined ? [] : [table.key.range])]) {
    const given = values[name];
    if (type === 'B' && given instanceof Uint8Array) {
      key[name] = { B: given };
      continue;
    }
    const rendered = renderTemplate(templateOf(entity, name) ?? `{${name}}`, (source) => textIn(values[source]));
    if (type === 'B' || !('text' in rendered)) return undefined;
    key[name] = type === 'N' ? { N: rendered.text } : { S: rendered.text };
  }
  return Object.keys(key).length === keyNames(table.key).length ? key : undefined;
}

const textIn = (value: string | Uint8Array | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

export interface PatternCall {
  readonly pattern: Pattern;
  readonly params: Readonly<Record<string, string>>;
}

/** A pattern of one parameter, with the attribute that it goes by. */
export function patternCall(
  tables: readonly Table[],
  { pattern: name, attribute }: PatternByAttribute,
  values: Readonly<Record<string, string | undefined>>,
): PatternCall {
  const pattern = tables.flatMap((table) => Object.values(table.patterns)).find((candidate) => candidate.name === name);
  const [parameter] = Object.keys(pattern?.params ?? {});
  if (pattern === undefined || parameter === undefined) throw new TypeError(`there is no pattern ${name} of one parameter`);
  return { pattern, params: { [parameter]: values[attribute] ?? '' } };
}
