import type { Item } from '../../../tables/model/attribute-value.ts';
import { type Condition, compareTexts } from '../../../tables/model/condition.ts';
import type { Entity } from '../../../tables/model/entity.ts';
import { keyTypesOf } from '../../../tables/model/key-types.ts';
import { viewSchema } from '../../../tables/model/schema-view.ts';
import { type Index, type KeyAttribute, keyNames, maxKeyParts, type Table } from '../../../tables/model/table.ts';
import { literalPrefix, type Placeholder, parseTemplate, placeholdersOf } from '../../../tables/model/template.ts';

/** Why an index keeps its made-up key. */
export type StayReason =
  | 'own key'
  | 'sparse rule'
  | 'transform'
  | 'only in the primary key'
  | 'part in a map'
  | 'no key'
  | 'order of texts'
  | 'different attributes'
  | 'too many parts'
  | 'one name for all'
  | 'no discriminator';

export type IndexAdvice =
  /** Its key is made of attributes that the records have anyway. */
  | { readonly verdict: 'natural' }
  | {
      readonly verdict: 'could be natural';
      readonly hash: readonly string[];
      readonly range: readonly string[];
      /** Stored in every record, and added because nothing else in the key would tell other records from these. */
      readonly discriminator: string | undefined;
      /** Made-up attributes that no other key uses. */
      readonly spared: readonly string[];
      readonly code: string;
    }
  | { readonly verdict: 'stays'; readonly reasons: readonly { readonly reason: StayReason; readonly why: string }[] };

/** What one entity's rules say of one key attribute. */
interface Part {
  readonly entity: Entity;
  readonly template: string;
  readonly when: Condition | undefined;
}

/** Could the index stand on attributes that the records have anyway? From the catalogue's own rules alone. */
export function adviseIndex(table: Table, index: Index): IndexAdvice {
  const members = table.entities.filter((entity) => keyNames(index).every((name) => isSet(entity, name)));
  const madeUp = keyNames(index).filter((name) => members.some((entity) => partsOf(entity, name).length > 0));
  if (madeUp.length === 0) return { verdict: 'natural' };
  const own = new Set(keyNames(table.key));
  if (madeUp.every((name) => own.has(name))) {
    return stays('own key', `its key is the table's own, ${keyNames(table.key).join(' and ')}: nothing is stored for it`);
  }
  const reasons = [...new Map(reasonsFor(members, index).map((one) => [one.why, one])).values()];
  if (reasons.length > 0) return { verdict: 'stays', reasons };
  return naturalKey(table, index, members, madeUp);
}

/** How many of some records a natural index would hold that a rule with a condition keeps out of this one. */
export function sparseRecords(table: Table, index: Index, items: readonly Item[]): number {
  const has = (item: Item, names: readonly string[]) => names.every((name) => Object.hasOwn(item, name));
  const keys = table.entities
    .filter((entity) => keyNames(index).every((name) => isSet(entity, name)))
    .map((entity) => keyNames(index).flatMap((name) => naturalNames(entity, name)));
  return items.filter((item) => !has(item, keyNames(index)) && keys.some((names) => has(item, names))).length;
}

const stays = (reason: StayReason, why: string): IndexAdvice => ({ verdict: 'stays', reasons: [{ reason, why }] });

type Reason = { readonly reason: StayReason; readonly why: string };

function reasonsFor(members: readonly Entity[], index: Index): readonly Reason[] {
  const attributes = [...index.hash, ...index.range];
  const parts = members.flatMap((entity) => attributes.flatMap(({ name }) => partsOf(entity, name)));
  return [
    ...parts.flatMap(partReasons),
    ...members.flatMap((entity) => besideReasons(entity, index)),
    ...members.flatMap((entity) => index.range.flatMap((attribute) => orderReasons(entity, attribute))),
    ...differenceReasons(members, index),
    ...(['hash', 'range'] as const).flatMap((purpose) => countReasons(members, index, purpose)),
    ...members.flatMap((entity) => emptyHash(entity, index)),
  ];
}

function partReasons({ entity, template, when }: Part): readonly Reason[] {
  const holes = holesOf(template);
  const foreign = holes.filter(({ name }) => !isStored(entity, name)).map(({ name }) => name);
  const changed = holes.filter((hole) => isChanged(entity, hole)).map(({ name, transform }) => `${name}|${transform}`);
  return [
    ...(when === undefined
      ? []
      : [
          {
            reason: 'sparse rule' as const,
            why: `${entity.name} has it only under a condition; a natural index holds every record with the attributes`,
          },
        ]),
    ...changed.map((what) => ({
      reason: 'transform' as const,
      why: `${entity.name} stores ${what} in it, which no attribute holds`,
    })),
    ...foreign.map((name) => ({
      reason: 'only in the primary key' as const,
      why: `${entity.name} has ${name} in its primary key only`,
    })),
    ...holes.flatMap(({ name }) => kindReasons(entity, name)),
  ];
}

/** A rule sets all of its attributes or none: what it needs for others keeps a record out of this index, too. */
function besideReasons(entity: Entity, index: Index): readonly Reason[] {
  const own = keyNames(index);
  return entity.derive.flatMap(({ set }) => {
    if (!own.some((name) => Object.hasOwn(set, name))) return [];
    const sourcesOf = (isOwn: boolean) =>
      Object.entries(set).flatMap(([name, template]) => (own.includes(name) === isOwn ? placeholdersOf(template) : []));
    const beside = sourcesOf(false).filter((name) => mayLack(entity, name) && !sourcesOf(true).includes(name));
    return [...new Set(beside)].map((name) => ({
      reason: 'sparse rule' as const,
      why: `${entity.name} has it only with ${name}, which its rule needs beside; a natural index holds every record with the attributes`,
    }));
  });
}

const mayLack = ({ schema }: Entity, name: string): boolean =>
  Object.hasOwn(schema.shape, name) && schema.safeParse({}).error?.issues.some(({ path }) => path[0] === name) !== true;

/** `negate` and `iso` make another value. Zeros before a number keep its order as a text, which the number itself has. */
function isChanged(entity: Entity, { name, transform }: Placeholder): boolean {
  if (transform === undefined || transform === 'rest') return false;
  return !(isPadding(transform) && isNumber(entity, name));
}

const isPadding = (transform: Placeholder['transform']): boolean => transform?.startsWith('pad') === true;

function kindReasons(entity: Entity, name: string): readonly Reason[] {
  return keyTypesOf([entity], name)
    .filter(({ type }) => type === undefined)
    .map(({ kind }) =>
      kind === 'flag'
        ? { reason: 'no key' as const, why: `${entity.name} has ${name} as a flag, which cannot be a key` }
        : {
            reason: 'part in a map' as const,
            why: `${entity.name} has ${name} as a ${kind}; only an attribute at the top of a record can be a key`,
          },
    );
}

/** Texts put together may sort otherwise than their parts: a number by its digits, a part by what follows it. */
function orderReasons(entity: Entity, attribute: KeyAttribute): readonly Reason[] {
  return partsOf(entity, attribute.name).flatMap(({ template }) => {
    const holes = holesOf(template);
    const numbers = holes.filter(({ name, transform }) => transform === undefined && isNumber(entity, name));
    if (numbers.length > 0 && attribute.type === 'S') {
      const names = numbers.map(({ name }) => name).join(', ');
      return [
        {
          reason: 'order of texts' as const,
          why: `${entity.name} sorts ${names} by its digits; as an attribute it would sort by value`,
        },
      ];
    }
    // What ends the text is followed by nothing.
    const followed = typeof parseTemplate(template).at(-1) === 'string' ? holes : holes.slice(0, -1);
    return followed.every((hole) => endsAlike(entity, hole))
      ? []
      : [
          {
            reason: 'order of texts' as const,
            why: `${entity.name} sorts by the text ${template}, which can differ from the order of ${holes.length === 1 ? 'the attribute in it' : `its ${holes.length} parts`}`,
          },
        ];
  });
}

/** No value is the beginning of another, so that what follows never decides between two that differ. */
function endsAlike(entity: Entity, { name, transform }: Placeholder): boolean {
  if (isPadding(transform)) return true;
  const schema = entity.schema.shape[name];
  if (schema === undefined) return false;
  const { time, choices } = viewSchema(schema as Parameters<typeof viewSchema>[0]);
  if (time !== undefined) return true;
  return choices.length > 0 && choices.every((one) => choices.every((other) => one === other || !other.startsWith(one)));
}

function differenceReasons(members: readonly Entity[], index: Index): readonly Reason[] {
  const [first, ...others] = members.map((entity) => ({ entity, key: shownKey(entity, index) }));
  const different = others.filter(({ key }) => key !== first?.key);
  return first === undefined
    ? []
    : different.map(({ entity, key }) => ({
        reason: 'different attributes' as const,
        why: `${first.entity.name} stands in it by ${first.key}, ${entity.name} by ${key}`,
      }));
}

const shownKey = (entity: Entity, index: Index): string =>
  [index.hash, index.range]
    .map((parts) => parts.flatMap(({ name }) => naturalNames(entity, name)).join(' + ') || 'nothing')
    .join(' / ');

function countReasons(members: readonly Entity[], index: Index, purpose: 'hash' | 'range'): readonly Reason[] {
  const most = Math.max(0, ...members.map((entity) => index[purpose].flatMap(({ name }) => naturalNames(entity, name)).length));
  return most > maxKeyParts
    ? [{ reason: 'too many parts', why: `its ${purpose} has ${most} parts, DynamoDB takes ${maxKeyParts}` }]
    : [];
}

/** `ENTITY#PRODUCT` is no attribute of a product: all of them stand under one name. */
function emptyHash(entity: Entity, index: Index): readonly Reason[] {
  const names = index.hash.flatMap(({ name }) => naturalNames(entity, name));
  return names.length > 0
    ? []
    : [{ reason: 'one name for all', why: `all ${entity.name} records stand under one made-up name, which no attribute holds` }];
}

function naturalKey(table: Table, index: Index, members: readonly Entity[], madeUp: readonly string[]): IndexAdvice {
  const [first] = members as [Entity];
  const hash = [...new Set(index.hash.flatMap(({ name }) => naturalNames(first, name)))];
  // What the partition fixes needs no place in its order.
  const range = [...new Set(index.range.flatMap(({ name }) => naturalNames(first, name)))].filter((name) => !hash.includes(name));
  const intruders = table.entities.filter(
    (entity) => !members.includes(entity) && [...hash, ...range].every((name) => isSet(entity, name) || isStored(entity, name)),
  );
  const place = discriminatorPlace(index, members, intruders);
  const discriminator = place === undefined ? undefined : discriminatorOf(index[place], place, members, intruders);
  const key = { hash, range };
  if (place !== undefined && (discriminator === undefined || key[place].length === maxKeyParts)) {
    const others = intruders.length === 0 ? members : intruders;
    const names = others.map(({ name }) => name).join(', ');
    return stays('no discriminator', `${names} records have these attributes too, and nothing stored tells them apart`);
  }
  if (place !== undefined && discriminator !== undefined) key[place].unshift(discriminator);
  const others = new Set([table.key, ...table.indexes.filter((one) => one !== index)].flatMap(keyNames));
  return {
    verdict: 'could be natural',
    ...key,
    discriminator,
    spared: madeUp.filter((name) => !others.has(name)),
    code: codeOf(index, hash, range),
  };
}

/** Where a constant has to stand so that records stay apart which fixed texts, or having no such key, keep apart now. */
function discriminatorPlace(
  index: Index,
  members: readonly Entity[],
  intruders: readonly Entity[],
): 'hash' | 'range' | undefined {
  const differ = (parts: readonly KeyAttribute[]) => new Set(members.map((entity) => fixedTexts(entity, parts))).size > 1;
  if (intruders.length > 0 || differ(index.hash)) return 'hash';
  return differ(index.range) ? 'range' : undefined;
}

/** A constant that tells members apart where their fixed texts do, no others, and that no intruder has the value of. */
function discriminatorOf(
  parts: readonly KeyAttribute[],
  place: 'hash' | 'range',
  members: readonly Entity[],
  intruders: readonly Entity[],
): string | undefined {
  const [first] = members;
  return Object.keys(first?.constants ?? {}).find((name) => {
    const value = ({ constants }: Entity) => constants[name] ?? '';
    const isAlike = (a: Entity, b: Entity) => (value(a) === value(b)) === (fixedTexts(a, parts) === fixedTexts(b, parts));
    const isOrdered = (a: Entity, b: Entity) =>
      Math.sign(compareTexts(value(a), value(b))) === Math.sign(compareTexts(firstText(a, parts), firstText(b, parts)));
    return (
      members.every((entity) => value(entity) !== '') &&
      members.every((a) => members.every((b) => isAlike(a, b) && (place === 'hash' || isOrdered(a, b)))) &&
      intruders.every((other) => members.every((entity) => value(entity) !== value(other)))
    );
  });
}

/** A key without what is put into it: `OWNER#{}`. */
function fixedTexts(entity: Entity, parts: readonly KeyAttribute[]): string {
  const shown = (template: string) => parseTemplate(template).map((part) => (typeof part === 'string' ? part : '{}'));
  return parts.flatMap(({ name }) => shown(partsOf(entity, name)[0]?.template ?? `{${name}}`)).join('');
}

const firstText = (entity: Entity, [first]: readonly KeyAttribute[]): string =>
  literalPrefix(partsOf(entity, first?.name ?? '')[0]?.template ?? '');

/** The definition, as it would stand in the catalogue. */
function codeOf(index: Index, hash: readonly string[], range: readonly string[]): string {
  const list = (names: readonly string[]) =>
    names.length === 1 ? `'${names[0]}'` : `[${names.map((name) => `'${name}'`).join(', ')}]`;
  const projection = index.projection === 'ALL' ? [] : [`projection: ${projectionCode(index)}`];
  const parts = [`hash: ${list(hash)}`, ...(range.length === 0 ? [] : [`range: ${list(range)}`]), ...projection];
  return `${index.name}: { ${parts.join(', ')} }`;
}

function projectionCode({ projection }: Index): string {
  if (typeof projection === 'string') return `'${projection}'`;
  return `{ include: [${projection.include.map((name) => `'${name}'`).join(', ')}] }`;
}

/** The stored attributes that a key attribute is made of, in order. */
function naturalNames(entity: Entity, name: string): readonly string[] {
  const [part] = partsOf(entity, name);
  return part === undefined ? [name] : holesOf(part.template).map((hole) => hole.name);
}

function partsOf(entity: Entity, name: string): readonly Part[] {
  return entity.derive.flatMap(({ set, when }) =>
    Object.hasOwn(set, name) ? [{ entity, template: set[name] ?? '', when }] : [],
  );
}

const holesOf = (template: string) => parseTemplate(template).filter((part): part is Placeholder => typeof part !== 'string');

const isStored = (entity: Entity, name: string): boolean =>
  Object.hasOwn(entity.schema.shape, name) || Object.hasOwn(entity.constants, name);

const isSet = (entity: Entity, name: string): boolean => isStored(entity, name) || partsOf(entity, name).length > 0;

const isNumber = (entity: Entity, name: string): boolean => keyTypesOf([entity], name)[0]?.type === 'N';
