import * as z from 'zod';
import type { Condition } from './condition.ts';
import type { Entity, RecordOf } from './entity.ts';
import { type IndexKey, type KeySchema, keyParts } from './table.ts';

/** A condition on a key attribute. Only some are legal on each key; the prover decides. */
export type KeyCondition =
  | {
      readonly attribute: string;
      readonly op: 'equals' | 'beginsWith' | 'atLeast' | 'atMost' | 'greater' | 'less';
      readonly value: string;
    }
  /** Bounds whose optional parameters may be left out: both, one or neither end. */
  | { readonly attribute: string; readonly op: 'window'; readonly from: string; readonly to: string };

// The attribute's name stays literal, so that the compiler sees which conditions an index can take.
export const is = <const Name extends string>(attribute: Name, value: string) => ({ attribute, op: 'equals', value }) as const;
export const beginsWith = <const Name extends string>(attribute: Name, value: string) =>
  ({ attribute, op: 'beginsWith', value }) as const;
export const from = <const Name extends string>(attribute: Name, value: string) => ({ attribute, op: 'atLeast', value }) as const;
export const window = <const Name extends string>(attribute: Name, bounds: { readonly from: string; readonly to: string }) =>
  ({ attribute, op: 'window', ...bounds }) as const;

/** How a pattern was answered before its index existed: by a Scan, or by a Query on another index. */
export type Legacy = LegacyScan | LegacyQuery;

/**
 * How a pattern was answered before its index existed: a Scan of the whole table with a filter, sorted by the client. The
 * filter names plain attributes and parameters only, so that it gives the right answer whatever the index attributes say.
 */
export interface LegacyScan {
  readonly filter: Condition;
  readonly sort?: LegacySort;
  /** The migration that gives older records their index attributes; left out where the table's own key is enough. */
  readonly backfill?: string;
}

/** The Query on another index of the table that answered the pattern; what is not named here is as the pattern says. */
export interface LegacyQuery {
  readonly index: string;
  readonly key: readonly KeyCondition[];
  /** As the pattern's own when left out. */
  readonly order?: 'ascending' | 'descending';
  /** None when left out, whatever the pattern's own is. */
  readonly filter?: Condition;
  readonly hydrate?: boolean;
  /** The migration that gives older records the keys of the pattern's own index; left out where they always had them. */
  readonly backfill?: string;
}

export function isLegacyQuery(legacy: Legacy | undefined): legacy is LegacyQuery {
  return legacy !== undefined && 'index' in legacy;
}

export interface LegacySort {
  readonly by: string;
  readonly order: 'ascending' | 'descending';
}

export const ascending = (by: string): LegacySort => ({ by, order: 'ascending' });
export const descending = (by: string): LegacySort => ({ by, order: 'descending' });

export type PatternParams = Readonly<Record<string, z.ZodType>>;

export interface PatternOptions<Params extends PatternParams = PatternParams, Result extends Entity = Entity> {
  readonly description: string;
  readonly params?: Params;
  /** The index to read; the table itself when left out. */
  readonly index?: string;
  readonly key: readonly KeyCondition[];
  readonly order?: 'ascending' | 'descending';
  /** The most records to return, after the filter: a number, or the name of a parameter that holds it. */
  readonly limit?: number | string;
  readonly filter?: Condition;
  /** Fetch the whole records by their keys, because the index does not hold them. */
  readonly hydrate?: boolean;
  /** `exists`: the question is only whether there is such a record. */
  readonly answer?: 'records' | 'exists';
  /** The entities that the pattern returns. */
  readonly result: readonly Result[];
  /** The Scan or the Query that it replaces, where there was one; cut-over moves readers from this to the Query. */
  readonly legacy?: Legacy;
  /** Parameters that find something in the fixtures. */
  readonly example: Readonly<Record<string, string>>;
}

export interface Pattern<
  Params extends PatternParams = PatternParams,
  Result extends Entity = Entity,
  Name extends string = string,
> extends PatternOptions<Params, Result> {
  readonly name: Name;
  readonly table: string;
  readonly params: Params;
}

/** What a caller gives: parameters whose schema allows `undefined` may be left out. */
export type ParamsOf<P extends Pattern> = z.input<z.ZodObject<{ -readonly [K in keyof P['params']]: P['params'][K] }>>;

/** The record types that a pattern returns. */
export type ResultOf<P extends Pattern> = RecordOf<P['result'][number]>;

/** The pattern as it was read by the index before; undefined when it was a Scan, or never read otherwise. */
export function formerPattern(pattern: Pattern): Pattern | undefined {
  const { legacy, index: _index, key: _key, filter: _filter, hydrate: _hydrate, ...same } = pattern;
  if (!isLegacyQuery(legacy)) return undefined;
  const { backfill: _backfill, ...former } = legacy;
  return { ...same, ...former };
}

const optionalSchemas = new WeakMap<z.ZodType, boolean>();

/** May the parameter be left out, so that its condition falls away? Asked for every read, so kept. */
export function isOptionalParam({ params }: Pick<Pattern, 'params'>, name: string): boolean {
  const schema = params[name];
  if (schema === undefined) return false;
  let known = optionalSchemas.get(schema);
  if (known === undefined) {
    const parsed = schema.safeParse(undefined);
    known = parsed.success && parsed.data === undefined;
    optionalSchemas.set(schema, known);
  }
  return known;
}

/** One GetItem when the whole primary key is given by equality on the table itself, else a Query. */
export function isGet(pattern: Pattern, rangeName: string | undefined): boolean {
  if (pattern.index !== undefined) return false;
  const wanted = rangeName === undefined ? 1 : 2;
  return pattern.key.length === wanted && pattern.key.every((condition) => condition.op === 'equals');
}

/** The first range attribute that no equality fixes: what the answer is sorted by. Undefined when records have no order. */
export function openRange(schema: KeySchema | IndexKey, { key }: Pick<Pattern, 'key'>): string | undefined {
  const fixed = new Set(key.filter(({ op }) => op === 'equals').map(({ attribute }) => attribute));
  return keyParts(schema).range.find(({ name }) => !fixed.has(name))?.name;
}

/** Takes the pattern's own parameters and no other. */
export function paramsSchema(pattern: Pattern) {
  return z.strictObject(pattern.params);
}

/** The texts that a condition on a key compares with. */
export function templatesIn(condition: KeyCondition): readonly string[] {
  return condition.op === 'window' ? [condition.from, condition.to] : [condition.value];
}
