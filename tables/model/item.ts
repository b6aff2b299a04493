import type * as z from 'zod';
import { type AttributeValue, attributeOf, base64Of, type Item, scalarText, setAttribute, typeOf } from './attribute-value.ts';
import { holds } from './condition.ts';
import { canonicalDecimal, decimalKeyBytes } from './decimal.ts';
import type { DeriveRule, Entity, InputOf } from './entity.ts';
import { TablewrightError } from './error.ts';
import { marshalObject } from './marshal.ts';
import { type Index, type KeyAttribute, keyAttribute, keyAttributes, keyNames, keyParts, type Table } from './table.ts';
import { matchTemplate, renderTemplate } from './template.ts';
import { epochSecondsOf } from './time.ts';

/** DynamoDB Developer Guide, "Quotas: partition key length / sort key length", in UTF-8 bytes. */
export const maxHashBytes = 2_048;
export const maxRangeBytes = 1_024;

export type BuildResult = { readonly item: Item } | { readonly problems: readonly string[] };

/** The complete item of an entity from its plain attributes: keys, index attributes, constants and ttl. All problems at once. */
export function tryBuildItem(table: Table, entity: Entity, input: unknown): BuildResult {
  const parsed = entity.schema.safeParse(input);
  if (!parsed.success) return { problems: parsed.error.issues.map(describeIssue) };
  return itemOfParsed(table, entity, parsed.data as Readonly<Record<string, unknown>>);
}

/** As `tryBuildItem`, of values that the schema has taken already. */
function itemOfParsed(table: Table, entity: Entity, parsed: Readonly<Record<string, unknown>>): BuildResult {
  return itemOfOwn(table, entity, marshalObject(entity.schema, parsed));
}

/** As `tryBuildItem`, of its own attributes as they are stored; the item is made of that object. */
export function itemOfOwn(table: Table, entity: Entity, item: Item): BuildResult {
  for (const name in entity.constants) setAttribute(item, name, { S: entity.constants[name] ?? '' });
  const broken = entity.rules.length === 0 ? none : ruleProblems(entity, item);
  const derived = deriveAttributes(table, entity, item);
  for (const name in derived.set) setAttribute(item, name, derived.set[name] as AttributeValue);
  const unfit = keysFit(table, item) ? none : keyProblems(table, item);
  if (broken.length + derived.problems.length + unfit.length === 0) return { item };
  return { problems: [...broken, ...derived.problems, ...unfit] };
}

const none: readonly string[] = [];

/** Which of the entity's own rules an item breaks. */
export function ruleProblems(entity: Entity, item: Item): readonly string[] {
  return entity.rules
    .filter((rule) => !rule.holds(item))
    .map(({ attribute, expected }) => `${attribute}: expected ${expected}, found ${JSON.stringify(scalarText(item[attribute]))}`);
}

/** As `tryBuildItem`, for one record of known type; a bad one throws with every problem listed. */
export function buildItem<E extends Entity>(table: Table, entity: E, input: InputOf<E>): Item {
  const built = tryBuildItem(table, entity, input);
  if ('item' in built) return built.item;
  throw new TablewrightError('BAD_ITEM', `${table.name}: the ${entity.name} record cannot be stored`, {
    problems: built.problems,
    next: `Correct the attributes; 'tablewright tables ${table.name}' lists what ${entity.name} takes.`,
  });
}

export interface Derived {
  readonly set: Item;
  readonly problems: readonly string[];
}

/** The attributes that follow from the others: keys, index keys, copies and ttl. The item itself is left as it is. */
export function deriveAttributes(table: Table, entity: Entity, item: Item): Derived {
  const set: Item = {};
  const problems: string[] = [];
  for (const rule of entity.derive) {
    if (rule.when === undefined || holds(rule.when, item)) applyRule(table, rule, item, set, problems);
  }
  if (entity.ttl !== undefined && table.ttl !== undefined) {
    const { from, seconds } = entity.ttl;
    const start = epochSecondsOf(scalarText(item[from]) ?? '');
    if (start !== undefined) setAttribute(set, table.ttl, { N: String(start + seconds) });
    else problems.push(`${from}: expected a time that ttl can be counted from`);
  }
  return { set, problems };
}

function applyRule(table: Table, rule: DeriveRule, item: Item, set: Item, problems: string[]): void {
  const found: Item = {};
  for (const name in rule.set) {
    const template = rule.set[name] ?? '';
    const rendered = renderTemplate(template, (source) => scalarText(item[source]));
    if ('missing' in rendered) return;
    if ('problem' in rendered) problems.push(rendered.problem);
    else if (isNumber(table, name, template, item)) setAttribute(found, name, { N: canonicalDecimal(rendered.text) });
    else setAttribute(found, name, { S: rendered.text });
  }
  for (const name in found) setAttribute(set, name, found[name] as AttributeValue);
}

/** A derived attribute is a number when its key says so or when it is one number, passed on. */
function isNumber(table: Table, name: string, template: string, item: Item): boolean {
  const declared = keyAttribute(table, name);
  if (declared !== undefined) return declared.type === 'N';
  const source = /^\{(\w+)(?:\|negate)?\}$/.exec(template)?.[1];
  const value = source === undefined ? undefined : attributeOf(item, source);
  return value !== undefined && 'N' in value;
}

/** What keeps DynamoDB from taking the item: a primary key missing, or a key attribute of the wrong type or size. */
export function keyProblems(table: Pick<Table, 'key' | 'indexes'>, item: Item): readonly string[] {
  const missing = keyNames(table.key)
    .filter((name) => !Object.hasOwn(item, name))
    .map((name) => `${name}: the key attribute is missing`);
  const wrong = keyAttributes(table).flatMap((attribute) => valueProblem(table, attribute, item));
  return [...missing, ...wrong, ...table.indexes.flatMap((index) => sharedProblems(index, item))];
}

/** A quick yes for most items; a no is looked at again by `keyProblems`, for its reason. */
function keysFit(table: Pick<Table, 'key' | 'indexes'>, item: Item): boolean {
  const { attributes, isShared } = keysOf(table);
  if (isShared) return false;
  for (const name of keyNames(table.key)) if (!Object.hasOwn(item, name)) return false;
  for (const { name, type } of attributes) {
    const value = attributeOf(item, name);
    if (value === undefined) continue;
    if (type === 'S' && 'S' in value) {
      // At most three bytes for each of its units.
      if (value.S.length === 0 || value.S.length > maxRangeBytes / 3) return false;
    } else if (type !== 'N' || !('N' in value)) return false;
  }
  return true;
}

interface KeysOfTable {
  readonly attributes: readonly KeyAttribute[];
  /** An index has several attributes for one purpose, which share a length. */
  readonly isShared: boolean;
}

const keysOfTables = new WeakMap<object, KeysOfTable>();

/** Asked for every item, so kept. */
function keysOf(table: Pick<Table, 'key' | 'indexes'>): KeysOfTable {
  const known = keysOfTables.get(table);
  if (known !== undefined) return known;
  const isShared = table.indexes.some(({ hash, range }) => hash.length > 1 || range.length > 1);
  const made = { attributes: keyAttributes(table), isShared };
  keysOfTables.set(table, made);
  return made;
}

/** How long a key may be: that of a sort key, if any index sorts by it. */
export function maxKeyBytes(table: Pick<Table, 'key' | 'indexes'>, { name }: Pick<KeyAttribute, 'name'>): number {
  const sorts = [table.key, ...table.indexes].some((schema) => keyParts(schema).range.some((part) => part.name === name));
  return sorts ? maxRangeBytes : maxHashBytes;
}

/** The attributes of an index that has several for one purpose share that purpose's length. */
function sharedProblems({ name, hash, range }: Index, item: Item): readonly string[] {
  const tooLong = (parts: readonly KeyAttribute[], most: number, what: string) => {
    if (parts.length < 2) return [];
    const bytes = parts.reduce((sum, part) => sum + keyBytes(attributeOf(item, part.name)), 0);
    const names = parts.map((part) => part.name).join(', ');
    return bytes > most ? [`${names}: ${bytes} bytes together, the ${what} of index ${name} holds at most ${most}`] : [];
  };
  return [...tooLong(hash, maxHashBytes, 'hash key'), ...tooLong(range, maxRangeBytes, 'range key')];
}

/** The length of a value, as keys are limited; a value of another type has none, and is refused anyway. */
export function keyBytes(value: AttributeValue | undefined): number {
  if (value === undefined) return 0;
  if ('N' in value) return decimalKeyBytes(value.N);
  return 'S' in value ? Buffer.byteLength(value.S) : 'B' in value ? value.B.byteLength : 0;
}

function valueProblem(table: Pick<Table, 'key' | 'indexes'>, attribute: KeyAttribute, item: Item): readonly string[] {
  const value = attributeOf(item, attribute.name);
  if (value === undefined) return [];
  const type = typeOf(value);
  if (type !== attribute.type) return [`${attribute.name}: a key of type ${attribute.type} was expected, found type ${type}`];
  if (type === 'N') return [];
  const bytes = keyBytes(value);
  if (bytes === 0) return [`${attribute.name}: a key may not be empty`];
  if (bytes <= maxRangeBytes) return [];
  const maxBytes = maxKeyBytes(table, attribute);
  return bytes > maxBytes ? [`${attribute.name}: ${bytes} bytes, a key holds at most ${maxBytes}`] : [];
}

/** Which entity of the table an item is, told by its primary key and constants; undefined when it fits none. */
export function entityOf(table: Table, item: Item): Entity | undefined {
  return table.entities.find((entity) => recoverKeyValues(table, entity, item) !== undefined);
}

/**
 * The values that the primary key was made of, read back from it; undefined when the key is not the entity's. Records
 * written before their attributes existed still tell them this way.
 */
export function recoverKeyValues(table: Table, entity: Entity, item: Item): Readonly<Record<string, string>> | undefined {
  let values: Readonly<Record<string, string>> = {};
  for (const name of keyNames(table.key)) {
    const template = templateOf(entity, name);
    const value = attributeOf(item, name);
    if (value === undefined) return undefined;
    // Given by the writer, of any type that a key may have: it tells nothing but itself.
    if (template === undefined) continue;
    const found = matchTemplate(template, scalarText(value) ?? '');
    if (found === undefined) return undefined;
    values = { ...values, ...found };
  }
  return values;
}

/** The template of a derived attribute, from the first rule that sets it. */
export function templateOf(entity: Entity, attribute: string): string | undefined {
  return entity.derive.find((rule) => Object.hasOwn(rule.set, attribute))?.set[attribute];
}

/** The primary key of an item. */
export function keyOf(table: Pick<Table, 'key'>, item: Item): Item {
  const key: Item = {};
  for (const name of keyNames(table.key)) {
    const value = attributeOf(item, name);
    if (value !== undefined) setAttribute(key, name, value);
  }
  return key;
}

/** A key as people read it: `CLIENT#client_123 / ORDER#…`; bytes are base64. */
export function showKey(table: Pick<Table, 'key'>, item: Item): string {
  return keyNames(table.key)
    .map((name) => shownPart(attributeOf(item, name)))
    .join(' / ');
}

function shownPart(value: AttributeValue | undefined): string {
  return value !== undefined && 'B' in value ? base64Of(value.B) : (scalarText(value) ?? '?');
}

export function describeIssue(issue: z.core.$ZodIssue): string {
  const place = issue.path.map(String).join('.');
  return place === '' ? issue.message : `${place}: ${issue.message}`;
}
