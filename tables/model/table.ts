import { type AttributeValue, attributeOf, type Item } from './attribute-value.ts';
import { checkDefinition, type KnownOptions, memberProblems, optional, optionProblems, required } from './check-options.ts';
import type { Entity } from './entity.ts';
import type { CheckedPatterns } from './key-check.ts';
import { type KeyType, keyTypesOf } from './key-types.ts';
import type { CheckedIndexes, CheckedKey } from './kind-check.ts';
import type { Pattern, PatternOptions, PatternParams } from './pattern.ts';

export interface KeyAttribute {
  readonly name: string;
  readonly type: KeyType;
}

/** The key of a table: one attribute each. */
export interface KeySchema {
  readonly hash: KeyAttribute;
  readonly range?: KeyAttribute;
}

/** The key of an index: one or more attributes for the partition, none or more for the order in it. */
export interface IndexKey {
  readonly hash: readonly KeyAttribute[];
  readonly range: readonly KeyAttribute[];
}

/** DynamoDB Developer Guide, "Multi-attribute keys pattern": up to four attributes for the partition, up to four for the order. */
export const maxKeyParts = 4;

/** DynamoDB Developer Guide, "Quotas": global secondary indexes of a table, unless AWS was asked for more. */
export const maxIndexes = 20;

export type Projection = 'ALL' | 'KEYS_ONLY' | { readonly include: readonly string[] };

export interface Index extends IndexKey {
  readonly name: string;
  readonly projection: Projection;
}

/** Capacity in units per second; `max` bounds what autoscaling may add. */
export interface Capacity {
  readonly read: number;
  readonly write: number;
  readonly max: { readonly read: number; readonly write: number };
}

export type Billing = { readonly mode: 'on-demand' } | ({ readonly mode: 'provisioned' } & Capacity);

export type StackKind = 'development' | 'production';

export interface Table {
  /** The base name; the physical one follows from the stack. */
  readonly name: string;
  readonly system: string;
  readonly description: string;
  /** `always`: every stack adds its suffix. `outside-prod`: prod keeps the documented bare name. */
  readonly suffix: 'always' | 'outside-prod';
  readonly key: KeySchema;
  readonly indexes: readonly Index[];
  readonly ttl?: string;
  readonly billing: Readonly<Record<StackKind, Billing>>;
  readonly entities: readonly Entity[];
  readonly patterns: Readonly<Record<string, Pattern>>;
}

export const onDemand: Billing = { mode: 'on-demand' };

export function provisioned(read: number, write: number, max: { readonly read: number; readonly write: number }): Billing {
  return { mode: 'provisioned', read, write, max };
}

/** A key attribute by its name, typed as the entities have it, or with a type of its own. */
export type KeyOption = KeyAttribute | string;

export interface IndexOptions {
  readonly hash: KeyOption | readonly KeyOption[];
  readonly range?: KeyOption | readonly KeyOption[];
  readonly projection?: Projection;
}

type IndexDefinitions = Readonly<Record<string, IndexOptions>>;
type PatternDefinitions = Readonly<Record<string, PatternOptions>>;

export interface TableDefinition<
  Namespace extends string,
  Patterns extends PatternDefinitions,
  Indexes extends IndexDefinitions = IndexDefinitions,
  Entities extends readonly Entity[] = readonly Entity[],
  Hash extends KeyOption = KeyOption,
  Range extends KeyOption = KeyOption,
> {
  readonly name: string;
  readonly system: string;
  readonly description: string;
  /** What the names of its patterns begin with: `oms.trading`. */
  readonly namespace: Namespace;
  readonly suffix?: 'always' | 'outside-prod';
  /** A kind that cannot be a key, or a type that the entities do not write, does not compile; nor does it in an index. */
  readonly hash: Hash & CheckedKey<Hash, Entities>;
  readonly range?: Range & CheckedKey<Range, Entities>;
  readonly indexes?: Indexes & CheckedIndexes<Indexes, Entities>;
  readonly ttl?: string;
  readonly billing?: Partial<Readonly<Record<StackKind, Billing>>>;
  readonly entities?: Entities;
  /** A condition that DynamoDB would refuse by the names in it does not compile. */
  readonly patterns?: Patterns & CheckedPatterns<Patterns, Indexes>;
}

export type NamedPatterns<Namespace extends string, Patterns extends Readonly<Record<string, PatternOptions>>> = {
  readonly [K in keyof Patterns & string]: Pattern<
    Patterns[K]['params'] extends PatternParams ? Patterns[K]['params'] : Record<never, never>,
    Patterns[K]['result'][number],
    `${Namespace}.${K}`
  > &
    // Known to the types, because an index gives no consistent reads and a pattern with a limit has one order only.
    (Patterns[K] extends { readonly index: string } ? { readonly index: string } : unknown) &
    (Patterns[K] extends { readonly limit: number | string } ? { readonly limit: number | string } : unknown);
};

type AnyDefinition = TableDefinition<string, PatternDefinitions>;

const tableOptions: KnownOptions<AnyDefinition> = {
  name: required('text'),
  system: required('text'),
  description: required('text'),
  namespace: required('text'),
  suffix: optional(['always', 'outside-prod']),
  hash: required(),
  range: optional(),
  indexes: optional('object'),
  ttl: optional('text'),
  billing: optional('object'),
  entities: optional('entities'),
  patterns: optional('object'),
};

const indexOptions: KnownOptions<IndexOptions> = { hash: required(), range: optional(), projection: optional() };

const patternOptions: KnownOptions<PatternOptions> = {
  description: required('text'),
  params: optional('kinds'),
  index: optional('text'),
  key: required('list'),
  order: optional(['ascending', 'descending']),
  limit: optional(),
  filter: optional('object'),
  hydrate: optional(),
  answer: optional(['records', 'exists']),
  result: required('entities'),
  legacy: optional('object'),
  example: required('texts'),
};

function tableProblems(options: AnyDefinition): readonly string[] {
  return [
    ...optionProblems(options, tableOptions),
    ...memberProblems('indexes', options.indexes ?? {}, indexOptions),
    ...Object.entries(options.indexes ?? {}).flatMap(([name, index]) => projectionProblems(name, index?.projection ?? 'ALL')),
    ...memberProblems<PatternOptions>('patterns', options.patterns ?? {}, patternOptions),
  ];
}

function projectionProblems(index: string, projection: Projection): readonly string[] {
  if (projection === 'ALL' || projection === 'KEYS_ONLY' || Array.isArray((projection as { readonly include?: unknown }).include))
    return [];
  return [`indexes.${index}.projection: expected 'ALL', 'KEYS_ONLY' or { include: […] }, found ${JSON.stringify(projection)}`];
}

/** A table from its declaration: key names get the type that the entities give them, patterns their name and table. */
export function defineTable<
  const Namespace extends string,
  const Patterns extends PatternDefinitions = Record<never, never>,
  const Indexes extends IndexDefinitions = Record<never, never>,
  const Entities extends readonly Entity[] = readonly Entity[],
  const Hash extends KeyOption = KeyOption,
  const Range extends KeyOption = KeyOption,
>(
  options: TableDefinition<Namespace, Patterns, Indexes, Entities, Hash, Range>,
): Omit<Table, 'patterns'> & { readonly patterns: NamedPatterns<Namespace, Patterns> } {
  checkDefinition(`table ${options.name}`, tableProblems(options as unknown as AnyDefinition));
  const {
    hash,
    range,
    indexes = {},
    billing,
    entities = [],
    patterns,
    namespace,
    suffix = 'outside-prod',
    ttl,
    ...rest
  } = options;
  const typed = (attribute: KeyOption): KeyAttribute =>
    typeof attribute === 'string' ? { name: attribute, type: keyTypesOf(entities, attribute, ttl)[0]?.type ?? 'S' } : attribute;
  const parts = (given: KeyOption | readonly KeyOption[] = []) => (isList(given) ? given : [given]).map(typed);
  const named = Object.entries<PatternOptions>(patterns ?? {}).map(([short, pattern]) => [
    short,
    { ...pattern, params: pattern.params ?? {}, name: `${namespace}.${short}`, table: options.name },
  ]);
  return {
    ...rest,
    suffix,
    key: range === undefined ? { hash: typed(hash) } : { hash: typed(hash), range: typed(range) },
    indexes: Object.entries<IndexOptions>(indexes).map(([name, index]) => ({
      name,
      hash: parts(index.hash),
      range: parts(index.range),
      projection: index.projection ?? 'ALL',
    })),
    ...(ttl === undefined ? {} : { ttl }),
    billing: { development: onDemand, production: onDemand, ...billing },
    entities,
    patterns: Object.fromEntries(named) as NamedPatterns<Namespace, Patterns>,
  };
}

const isList = (given: KeyOption | readonly KeyOption[]): given is readonly KeyOption[] => Array.isArray(given);

/** Any key as an index has it: lists, the table's own with one attribute each. */
export function keyParts(schema: KeySchema | IndexKey): IndexKey {
  if (isIndexKey(schema)) return schema;
  return { hash: [schema.hash], range: schema.range === undefined ? [] : [schema.range] };
}

function isIndexKey(schema: KeySchema | IndexKey): schema is IndexKey {
  return Array.isArray(schema.hash);
}

const namesOfKeys = new WeakMap<object, readonly string[]>();

/** The names of a key's attributes, hash first. Asked for every item, so kept. */
export function keyNames(schema: KeySchema | IndexKey): readonly string[] {
  const known = namesOfKeys.get(schema);
  if (known !== undefined) return known;
  const { hash, range } = keyParts(schema);
  const names = [...hash, ...range].map(({ name }) => name);
  namesOfKeys.set(schema, names);
  return names;
}

/** The names of an index's key, all of them and by purpose. */
export interface KeyLists {
  readonly key: readonly string[];
  readonly hash: readonly string[];
  readonly range: readonly string[];
}

export function listKeyNames(schema: KeySchema | IndexKey): KeyLists {
  const { hash, range } = keyParts(schema);
  const names = (part: readonly KeyAttribute[]): readonly string[] => part.map(({ name }) => name);
  return { key: keyNames(schema), hash: names(hash), range: names(range) };
}

/** As people read it: `PK / SK`, and `tenant + region / round` where there are several for one purpose. */
export function showKeyNames({ hash, range }: Pick<KeyLists, 'hash' | 'range'>): string {
  return [hash, range]
    .filter((names) => names.length > 0)
    .map((names) => names.join(' + '))
    .join(' / ');
}

/** The indexes whose key has several attributes for one purpose, as `table.index`: not every server has them. */
export function naturalIndexes(tables: readonly Pick<Table, 'name' | 'indexes'>[]): readonly string[] {
  return tables.flatMap((table) =>
    table.indexes.filter(({ hash, range }) => hash.length > 1 || range.length > 1).map(({ name }) => `${table.name}.${name}`),
  );
}

/**
 * The partition that an item falls into: the value of the hash attribute, or the list of them where the key has several. Undefined
 * where one of them is not known.
 */
export function keyPartition(
  schema: KeySchema | IndexKey,
  item: Item | ((name: string) => AttributeValue | undefined),
): AttributeValue | undefined {
  const found = typeof item === 'function' ? item : (name: string) => attributeOf(item, name);
  const values = keyParts(schema).hash.map(({ name }) => found(name));
  if (values.length === 1) return values[0];
  return values.every((value) => value !== undefined) ? { L: values } : undefined;
}

const keysOfTables = new WeakMap<object, ReadonlyMap<string, KeyAttribute>>();

/** Every attribute that is a key of the table or of one of its indexes, once each. */
export function keyAttributes(table: Pick<Table, 'key' | 'indexes'>): readonly KeyAttribute[] {
  return [...keysByName(table).values()];
}

/** The attribute of this name, if it is such a key. */
export function keyAttribute(table: Pick<Table, 'key' | 'indexes'>, name: string): KeyAttribute | undefined {
  return keysByName(table).get(name);
}

/** Asked for every attribute that is derived, so kept. */
function keysByName(table: Pick<Table, 'key' | 'indexes'>): ReadonlyMap<string, KeyAttribute> {
  const known = keysOfTables.get(table);
  if (known !== undefined) return known;
  const seen = new Map<string, KeyAttribute>();
  for (const schema of [table.key, ...table.indexes].map(keyParts)) {
    for (const attribute of [...schema.hash, ...schema.range]) seen.set(attribute.name, attribute);
  }
  keysOfTables.set(table, seen);
  return seen;
}
