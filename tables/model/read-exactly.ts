import type * as z from 'zod';
import { type AttributeValue, type Item, toPlain, typeOf } from './attribute-value.ts';
import type { Entity, RecordOf } from './entity.ts';
import { readPlain } from './plain-data.ts';
import { type Schema, type SchemaView, viewSchema } from './schema-view.ts';
import type { ReadRecord } from './unmarshal.ts';

const storedTypes = {
  text: 'S',
  choice: 'S',
  json: 'S',
  number: 'N',
  flag: 'BOOL',
  list: 'L',
  map: 'M',
  bytes: 'B',
} as const satisfies Record<Exclude<SchemaView['kind'], 'plain'>, string>;

/**
 * The plain record of a stored item, where every value must have the very type that the schema is stored as: `{ S: '5' }` is
 * no number here, because conditions and counters of DynamoDB would not take it for one. `known` are values that are told by
 * something else, such as the key; a stored one must agree. Problems name the attribute and never its value.
 */
export function tryReadExactly<E extends Entity>(
  entity: E,
  item: Item,
  known: Readonly<Record<string, string>> = {},
): ReadRecord<E> {
  const problems: string[] = [];
  const plain: Record<string, unknown> = { ...known };
  for (const [name, schema] of Object.entries(entity.schema.shape)) {
    const value = Object.hasOwn(item, name) ? item[name] : undefined;
    if (value === undefined) continue;
    plain[name] = plainOf(schema, value, name, problems);
  }
  if (problems.length > 0) return { problems };
  const parsed = entity.schema.safeParse(plain);
  if (!parsed.success) return { problems: [...new Set(parsed.error.issues.map((issue) => describe(issue, plain)))] };
  const record = parsed.data as Readonly<Record<string, unknown>>;
  const contrary = Object.entries(known).filter(([name, text]) => String(record[name]) !== text);
  if (contrary.length > 0) return { problems: contrary.map(([name]) => `${name}: its key says something else`) };
  return { record: parsed.data as RecordOf<E> };
}

/** The members of a record that are right by themselves; what can be kept of one that is damaged. */
export function readableMembers<E extends Entity>(
  entity: E,
  item: Item,
  known: Readonly<Record<string, string>> = {},
): Partial<RecordOf<E>> {
  const found: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(entity.schema.shape)) {
    const stored = Object.hasOwn(item, name) ? item[name] : undefined;
    const problems: string[] = [];
    const plain = known[name] ?? (stored === undefined ? undefined : plainOf(member, stored, name, problems));
    const parsed = problems.length > 0 || plain === undefined ? undefined : (member as z.ZodType).safeParse(plain);
    if (parsed?.success === true) found[name] = parsed.data;
  }
  return found as Partial<RecordOf<E>>;
}

/** Numbers as texts, which the schemas of both decimals and whole numbers take. */
function plainOf(schema: Schema, value: AttributeValue, path: string, problems: string[]): unknown {
  const view = viewSchema(schema);
  if (view.kind === 'plain') return readPlain(value);
  const expected = storedTypes[view.kind];
  const found = typeOf(value);
  if (found !== expected) {
    problems.push(`${path}: expected type ${expected}, found ${found}`);
    return undefined;
  }
  const { element } = view;
  if ('L' in value && element !== undefined) {
    return value.L.map((entry, at) => plainOf(element, entry, `${path}.${at}`, problems));
  }
  if (!('M' in value)) return toPlain(value);
  const members = Object.entries(value.M).flatMap(([name, member]) => {
    const own = view.member(name);
    return own === undefined ? [] : [[name, plainOf(own, member, `${path}.${name}`, problems)] as const];
  });
  return Object.fromEntries(members);
}

function describe(issue: z.core.$ZodIssue, plain: Readonly<Record<string, unknown>>): string {
  const place = issue.path.map(String).join('.');
  if (issue.path.length === 1 && plain[place] === undefined) return `${place}: missing`;
  if (issue.code === 'invalid_value') return `${place}: expected one of ${issue.values.join(', ')}`;
  return `${place}: not of the form that the schema asks for`;
}
