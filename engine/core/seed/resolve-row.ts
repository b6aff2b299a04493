import { type AttributeValue, type Item, scalarText, setAttribute } from '../../../tables/model/attribute-value.ts';
import { decimalProblem } from '../../../tables/model/decimal.ts';
import type { Entity } from '../../../tables/model/entity.ts';
import { describeIssue, itemOfOwn, keyOf, keyProblems } from '../../../tables/model/item.ts';
import { storeMember } from '../../../tables/model/member.ts';
import { keyFrom, keySources } from '../../../tables/model/reference.ts';
import type { Table } from '../../../tables/model/table.ts';
import { itemBytes, maxItemBytes } from '../item/item-size.ts';
import { type DeclaredItem, type DeclaredRecord, type DeclaredRow, type RowPlace, showPlace } from './declared-record.ts';
import type { FixtureTable } from './define-seed.ts';
import { fillTimes, looksRelative, relativeSeconds, relativeTimeHint } from './relative-time.ts';
import { type ResolvedValues, resolveValues, type ValueProblem } from './resolve-values.ts';
import { storeValues } from './store-values.ts';

/** A row as it is stored when `now` is `anchor`. */
export interface ResolvedRow {
  readonly place: RowPlace;
  readonly table: FixtureTable;
  readonly entity: Entity | undefined;
  readonly item: Item;
  readonly key: Item;
  /** It holds relative times. */
  readonly relative: boolean;
}

export type Resolution = { readonly row: ResolvedRow } | { readonly problems: readonly string[] };

export function resolveRow(declared: DeclaredRow, anchor: number): Resolution {
  return 'entity' in declared ? resolveRecord(declared, anchor) : resolveItem(declared, anchor);
}

function resolveRecord(declared: DeclaredRecord, anchor: number): Resolution {
  const { place, entity, table } = declared;
  const at = ({ path, message }: ValueProblem) => `${showPlace(place, path)}: ${entity.name}: ${message}`;
  const ttl = resolveTtl(declared, anchor);
  const stored = storeValues(declared, anchor);
  if (stored === undefined || 'problem' in ttl) return { problems: valueProblems(declared, anchor, ttl).map(at) };
  const built = itemOfOwn(asTable(table), entity, stored.item);
  if ('problems' in built) return { problems: built.problems.map((message) => at({ path: [], message })) };
  const { item } = built;
  if ('value' in ttl && table.ttl !== undefined) setAttribute(item, table.ttl, ttl.value);
  if (itemBytes(item) > maxItemBytes) return { problems: [at({ path: [], message: tooLarge(item) })] };
  const relative = stored.relative || ('relative' in ttl && ttl.relative);
  return { row: { place, table, entity, item, key: keyOf(table, item), relative } };
}

/** All that is wrong with a record's values, as its whole schema sees them. */
function valueProblems({ entity, values, textual }: DeclaredRecord, anchor: number, ttl: Ttl): readonly ValueProblem[] {
  const resolved = resolveValues(entity.schema, values, { anchor, textual });
  const parsed = entity.schema.safeParse(resolved.value);
  const problems = [
    ...resolved.problems.map(({ path, message }) => ({ path, message: `${path.map(String).join('.')}: ${message}` })),
    ...('problem' in ttl ? [{ path: ['$ttl'], message: `$ttl: ${ttl.problem}` }] : []),
    ...(parsed.success ? [] : schemaProblems(entity, resolved, parsed.error.issues)),
  ];
  if (problems.length > 0) return problems;
  throw new TypeError(`${entity.name}: its attributes and its whole schema do not agree`);
}

/** What the schema says of the values, but for those that are known to be wrong already. */
function schemaProblems(
  entity: Entity,
  { value, problems }: ResolvedValues,
  issues: readonly Parameters<typeof describeIssue>[0][],
): readonly ValueProblem[] {
  const known = new Set(problems.map(({ path }) => path.join('.')));
  return issues.flatMap((issue) => {
    const { path } = issue;
    if (known.has(path.join('.'))) return [];
    if (issue.code === 'unrecognized_keys') {
      const takes = Object.keys(entity.schema.shape).join(', ');
      const where = (key: string) => [...path, key].map(String).join('.');
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: `${where(key)}: unknown attribute; ${entity.name} takes ${takes}`,
      }));
    }
    const missing = valueAt(value, path) === undefined;
    return [{ path, message: missing ? `${path.map(String).join('.')}: missing` : describeIssue(issue) }];
  });
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Readonly<Record<PropertyKey, unknown>> | undefined)?.[name], value);
}

type Ttl =
  | { readonly value: AttributeValue; readonly relative: boolean }
  | { readonly none: true }
  | { readonly problem: string };

function resolveTtl({ ttl, table }: DeclaredRecord, anchor: number): Ttl {
  if (ttl === undefined) return { none: true };
  if (table.ttl === undefined) return { problem: `${table.name} has no ttl` };
  const offset = relativeSeconds(ttl);
  if (offset !== undefined) return { value: { N: String(anchor + offset) }, relative: true };
  if (/^\d{1,11}$/.test(ttl)) return { value: { N: ttl }, relative: false };
  return { problem: `expected ${relativeTimeHint}, or seconds since 1970, found ${JSON.stringify(ttl)}` };
}

function resolveItem({ place, table, item: declared }: DeclaredItem, anchor: number): Resolution {
  let relative = false;
  const item = mapTexts(declared, (text) => {
    const filled = fillTimes(text, anchor);
    if (filled !== text) relative = true;
    return filled;
  });
  const problems = [
    ...keyProblems(table, item),
    ...numberProblems(item),
    ...(itemBytes(item) > maxItemBytes ? [tooLarge(item)] : []),
  ];
  if (problems.length > 0) return { problems: problems.map((problem) => `${showPlace(place)}: ${problem}`) };
  return { row: { place, table, entity: undefined, item, key: keyOf(table, item), relative } };
}

function tooLarge(item: Item): string {
  return `the item has ${itemBytes(item)} bytes, DynamoDB holds at most ${maxItemBytes}`;
}

function mapTexts(item: Item, change: (text: string) => string): Item {
  const mapValue = (value: AttributeValue): AttributeValue => {
    if ('S' in value) return { S: change(value.S) };
    if ('N' in value) return { N: change(value.N) };
    if ('M' in value) return { M: mapTexts(value.M, change) };
    if ('L' in value) return { L: value.L.map(mapValue) };
    if ('SS' in value) return { SS: value.SS.map(change) };
    return 'NS' in value ? { NS: value.NS.map(change) } : value;
  };
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, mapValue(value)]));
}

function numberProblems(item: Item): readonly string[] {
  return Object.entries(item).flatMap(([name, value]) => numberProblemsOf(name, value));
}

function numberProblemsOf(name: string, value: AttributeValue): readonly string[] {
  const numbers = 'N' in value ? [value.N] : 'NS' in value ? value.NS : [];
  if ('M' in value) return numberProblems(value.M).map((problem) => `${name}.${problem}`);
  if ('L' in value) return value.L.flatMap((entry, at) => numberProblemsOf(`${name}.${at}`, entry));
  return numbers.flatMap((text) => {
    const problem = looksRelative(text)
      ? `a relative time in a raw item stands in braces, as {${text}:epoch}`
      : decimalProblem(text);
    return problem === undefined ? [] : [`${name}: expected a number, found ${JSON.stringify(text)}: ${problem}`];
  });
}

const wholeTables = new WeakMap<FixtureTable, Table>();

/** The item builder asks for a whole table but never for its patterns. One for each: what is known of a table is kept by it. */
function asTable(table: FixtureTable): Table {
  const known = wholeTables.get(table) ?? { ...table, patterns: {} };
  wholeTables.set(table, known);
  return known;
}

/**
 * The key that a row has when `now` is `anchor`, from what the key is made of alone: for rows of which only the identity is
 * asked for.
 */
export function keyAt(declared: DeclaredRow, { key, item }: ResolvedRow, anchor: number): Item {
  if (!('entity' in declared)) {
    const resolution = resolveRow(declared, anchor);
    return 'row' in resolution ? resolution.row.key : key;
  }
  const { entity, table, textual, values } = declared;
  const texts: Record<string, string> = {};
  let relative = false;
  for (const name of keySources(asTable(table), entity)) {
    const value = values[name];
    const member = entity.schema.shape[name];
    if (member === undefined || typeof value !== 'string' || !looksRelative(value)) {
      // It is the same at any time.
      texts[name] = scalarText(item[name]) ?? '';
      continue;
    }
    const resolved = resolveValues(member, value, { anchor, textual });
    relative ||= resolved.relative;
    const stored = storeMember(entity, name, resolved.value);
    texts[name] = stored !== undefined && 'value' in stored ? (scalarText(stored.value) ?? '') : '';
  }
  return relative ? (keyFrom(asTable(table), entity, texts) ?? key) : key;
}
