import type { KeyType } from '../../../tables/model/key-types.ts';
import { type Index, type IndexKey, type KeyAttribute, keyNames, keyParts } from '../../../tables/model/table.ts';
import { literalPrefix, parseTemplate, templateMayBeginWith, templatesOverlap } from '../../../tables/model/template.ts';
import { camelCase, NameBook, pascalCase } from './draft-names.ts';
import type { EntityDraft, ParamKind, PatternDraft, TableDraft } from './table-draft.ts';

type Drafted = Pick<TableDraft, 'key' | 'indexes' | 'entities'>;

/** What an attribute of an entity may look like: as it is derived, its constant, or anything. Undefined when it never has it. */
export function templateIn(entity: EntityDraft, name: string): string | undefined {
  const derived = entity.derive.find(({ set }) => Object.hasOwn(set, name))?.set[name];
  if (derived !== undefined) return derived;
  if (Object.hasOwn(entity.constants, name)) return entity.constants[name];
  return Object.hasOwn(entity.attributes, name) ? `{${name}}` : undefined;
}

/** A pattern for the table's key and each index: what stands under one partition key, whole and by what it begins with. */
export function draftPatterns(table: Drafted): readonly PatternDraft[] {
  const names = new NameBook();
  const parts = [{ schema: keyParts(table.key), index: undefined }, ...table.indexes.map((index) => ({ schema: index, index }))];
  return parts.flatMap(({ schema, index }) => patternsOn(table, schema, index, names));
}

function patternsOn(table: Drafted, schema: IndexKey, index: Index | undefined, names: NameBook): readonly PatternDraft[] {
  const standing = table.entities.filter((entity) => keyNames(schema).every((name) => templateIn(entity, name) !== undefined));
  const hashOf = (entity: EntityDraft) => schema.hash.map(({ name }) => templateIn(entity, name) ?? '');
  const hashes = new Map(standing.map((entity) => [JSON.stringify(hashOf(entity)), hashOf(entity)]));
  return [...hashes.values()].flatMap((hash) => {
    const found = standing.filter((entity) => hashOf(entity).every((own, at) => templatesOverlap(own, hash[at] ?? '')));
    const base = { ...partition(schema.hash, hash), ...(index === undefined ? {} : { index: index.name }) };
    const by = byWords(base, index);
    const make = (wanted: string, result: readonly EntityDraft[], prefix?: PatternDraft['prefix']): PatternDraft => ({
      ...base,
      name: names.take(wanted),
      description: describe(result, base.params, index),
      ...(prefix === undefined ? {} : { prefix }),
      hydrate: index !== undefined && needsWhole(table, index, result),
      result: result.map(({ name }) => name),
    });
    const parts = found.length < 2 ? [] : prefixesOf(schema, found);
    return [
      make(found.length === 1 ? camelCase(`${found[0]?.variable} ${by}`) : by, found),
      ...parts.map(({ prefix, result }) => make(camelCase(`${result[0]?.variable} ${by}`), result, prefix)),
    ];
  });
}

/** `byClientId`; `inGsi1` where the key has no parameter, or none but itself. */
function byWords({ hash, params }: Asked, index: Index | undefined): string {
  const holes = Object.keys(params);
  const isItself = index !== undefined && hash.every(({ attribute, value }) => value === `{${parameterName(attribute)}}`);
  if (holes.length === 0 || isItself) return camelCase(`in ${index?.name ?? 'table'}`);
  return `by${holes.map(pascalCase).join('And')}`;
}

function holesOf(template: string): readonly string[] {
  return parseTemplate(template).flatMap((part) => (typeof part === 'string' ? [] : [part.name]));
}

/** A parameter is called as the attribute is; templates know letters, digits and _ only. */
const parameterName = (attribute: string): string => (/^\w+$/.test(attribute) ? attribute : camelCase(attribute));

type Asked = Pick<PatternDraft, 'hash' | 'params'>;

function partition(hash: readonly KeyAttribute[], templates: readonly string[]): Asked {
  const isItself = (at: number) => templates[at] === `{${hash[at]?.name}}`;
  const names = new NameBook(templates.flatMap((template, at) => (isItself(at) ? [] : holesOf(template))));
  const conditions = hash.map(({ name, type }, at) => {
    const value = isItself(at) ? `{${names.take(parameterName(name))}}` : (templates[at] ?? '');
    return { attribute: name, value, kind: kindOfKey[type] };
  });
  const params = conditions.flatMap(({ value, kind }) => holesOf(value).map((name) => [name, kind] as const));
  return { hash: conditions.map(({ attribute, value }) => ({ attribute, value })), params: Object.fromEntries(params) };
}

/** Entities of one partition that the beginning of the range key tells from all others there. */
function prefixesOf(
  { range: [range] }: IndexKey,
  found: readonly EntityDraft[],
): readonly { readonly prefix: NonNullable<PatternDraft['prefix']>; readonly result: readonly EntityDraft[] }[] {
  if (range === undefined || range.type !== 'S') return [];
  return found.flatMap((entity) => {
    const value = literalPrefix(templateIn(entity, range.name) ?? '');
    if (value === '') return [];
    const others = found.filter((other) => other !== entity && templateMayBeginWith(templateIn(other, range.name) ?? '', value));
    return others.length === 0 ? [{ prefix: { attribute: range.name, value }, result: [entity] }] : [];
  });
}

/** Does the index lack anything of the records? */
function needsWhole(table: Drafted, index: Index, result: readonly EntityDraft[]): boolean {
  if (index.projection === 'ALL') return false;
  const included = index.projection === 'KEYS_ONLY' ? [] : index.projection.include;
  const held = new Set([...keyNames(table.key), ...keyNames(index), ...included]);
  return result.some(({ attributes }) => Object.keys(attributes).some((name) => !held.has(name)));
}

function describe(result: readonly EntityDraft[], params: PatternDraft['params'], index: Index | undefined): string {
  const what = result.map(({ name }) => name).join(', ');
  const by = Object.keys(params).length === 0 ? '' : ` of one ${Object.keys(params).join(' and ')}`;
  return `${what} records${by}${index === undefined ? '' : `, through ${index.name}`}`;
}

/** What a key of a type is written and asked with. */
export const kindOfKey: Readonly<Record<KeyType, ParamKind>> = { S: 'text', N: 'decimal', B: 'bytes' };

/** Placeholders: no value of an item gets into the file. Bytes are base64. */
export function exampleOf({ params }: Pick<PatternDraft, 'params'>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(params).map(([name, kind]) => [name, placeholder(name, kind)]));
}

const placeholder = (name: string, kind: ParamKind): string => ({ text: `SOME_${name}`, decimal: '0', bytes: 'AA==' })[kind];
