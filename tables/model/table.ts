import type { Entity } from './entity.ts';
import type { Pattern, PatternOptions, PatternParams } from './pattern.ts';

export type KeyType = 'S' | 'N' | 'B';

export interface KeyAttribute {
  readonly name: string;
  readonly type: KeyType;
}

export interface KeySchema {
  readonly hash: KeyAttribute;
  readonly range?: KeyAttribute;
}

export type Projection = 'ALL' | 'KEYS_ONLY' | { readonly include: readonly string[] };

export interface Index extends KeySchema {
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

export type System = 'oms' | 'markets' | 'backtest' | 'order-management' | 'tablewright' | (string & {});

export interface Table {
  /** The base name; the physical one follows from the stack. */
  readonly name: string;
  readonly system: System;
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

export const key = (name: string, type: KeyType = 'S'): KeyAttribute => ({ name, type });

export interface IndexOptions {
  readonly hash: KeyAttribute | string;
  readonly range?: KeyAttribute | string;
  readonly projection?: Projection;
}

export interface TableDefinition<Namespace extends string, Patterns extends Readonly<Record<string, PatternOptions>>> {
  readonly name: string;
  readonly system: System;
  readonly description: string;
  /** What the names of its patterns begin with: `oms.trading`. */
  readonly namespace: Namespace;
  readonly suffix?: 'always' | 'outside-prod';
  readonly hash: KeyAttribute | string;
  readonly range?: KeyAttribute | string;
  readonly indexes?: Readonly<Record<string, IndexOptions>>;
  readonly ttl?: string;
  readonly billing?: Partial<Readonly<Record<StackKind, Billing>>>;
  readonly entities?: readonly Entity[];
  readonly patterns?: Patterns;
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

/** A table from its declaration: key names get their type (S unless said), patterns their name and table. */
export function defineTable<
  const Namespace extends string,
  const Patterns extends Readonly<Record<string, PatternOptions>> = Record<never, never>,
>(
  options: TableDefinition<Namespace, Patterns>,
): Omit<Table, 'patterns'> & { readonly patterns: NamedPatterns<Namespace, Patterns> } {
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
  const named = Object.entries(patterns ?? {}).map(([short, pattern]) => [
    short,
    { ...pattern, params: pattern.params ?? {}, name: `${namespace}.${short}`, table: options.name },
  ]);
  return {
    ...rest,
    suffix,
    key: keySchema(hash, range),
    indexes: Object.entries(indexes).map(([name, index]) => ({
      name,
      ...keySchema(index.hash, index.range),
      projection: index.projection ?? 'ALL',
    })),
    ...(ttl === undefined ? {} : { ttl }),
    billing: { development: onDemand, production: onDemand, ...billing },
    entities,
    patterns: Object.fromEntries(named) as NamedPatterns<Namespace, Patterns>,
  };
}

function keySchema(hash: KeyAttribute | string, range: KeyAttribute | string | undefined): KeySchema {
  const typed = (attribute: KeyAttribute | string) => (typeof attribute === 'string' ? key(attribute) : attribute);
  return range === undefined ? { hash: typed(hash) } : { hash: typed(hash), range: typed(range) };
}

/** The names of a key's attributes, hash first. */
export function keyNames(schema: KeySchema): readonly string[] {
  return schema.range === undefined ? [schema.hash.name] : [schema.hash.name, schema.range.name];
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
  for (const schema of [table.key, ...table.indexes]) {
    seen.set(schema.hash.name, schema.hash);
    if (schema.range !== undefined) seen.set(schema.range.name, schema.range);
  }
  keysOfTables.set(table, seen);
  return seen;
}
