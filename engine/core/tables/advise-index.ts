import type { Item } from '../../../tables/model/attribute-value.ts';
import type { Condition } from '../../../tables/model/condition.ts';
import type { Entity } from '../../../tables/model/entity.ts';
import { keyTypesOf } from '../../../tables/model/key-types.ts';
import { type Index, type KeyAttribute, keyNames, maxKeyParts, type Table } from '../../../tables/model/table.ts';
import { parseTemplate, type TemplatePart } from '../../../tables/model/template.ts';

/** Why an index keeps its made-up key. */
export type StayReason =
  | 'own key'
  | 'sparse rule'
  | 'transform'
  | 'only in the primary key'
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
      /** Stored in every record, and added because other records have all the other key attributes. */
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
    ...members.flatMap((entity) => index.range.flatMap((attribute) => orderReasons(entity, attribute))),
    ...differenceReasons(members, index),
    ...(['hash', 'range'] as const).flatMap((purpose) => countReasons(members, index, purpose)),
    ...members.flatMap((entity) => emptyHash(entity, index)),
  ];
}

function partReasons({ entity, template, when }: Part): readonly Reason[] {
  const holes = holesOf(template);
  const foreign = holes.filter(({ name }) => !isStored(entity, name)).map(({ name }) => name);
  const changed = holes.flatMap(({ name, transform }) => (transform === undefined ? [] : [`${name}|${transform}`]));
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
  ];
}

/** Texts put together sort otherwise than their parts: a number by its digits, a part by what follows it. */
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
    return holes.length > 1
      ? [
          {
            reason: 'order of texts' as const,
            why: `${entity.name} sorts by the text ${template}, which differs from the order of its ${holes.length} parts`,
          },
        ]
      : [];
  });
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
  const hash = index.hash.flatMap(({ name }) => naturalNames(first, name));
  const range = index.range.flatMap(({ name }) => naturalNames(first, name));
  const intruders = table.entities.filter(
    (entity) => !members.includes(entity) && [...hash, ...range].every((name) => isSet(entity, name) || isStored(entity, name)),
  );
  const discriminator = intruders.length === 0 ? undefined : discriminatorOf(members, intruders);
  if (intruders.length > 0 && (discriminator === undefined || hash.length === maxKeyParts)) {
    const names = intruders.map(({ name }) => name).join(', ');
    return stays('no discriminator', `${names} records have these attributes too, and nothing stored tells them apart`);
  }
  const hashes = discriminator === undefined ? hash : [discriminator, ...hash];
  const others = new Set([table.key, ...table.indexes.filter((one) => one !== index)].flatMap(keyNames));
  return {
    verdict: 'could be natural',
    hash: hashes,
    range,
    discriminator,
    spared: madeUp.filter((name) => !others.has(name)),
    code: codeOf(index, hashes, range),
  };
}

/** A constant that all members have with values that no intruder has. */
function discriminatorOf(members: readonly Entity[], intruders: readonly Entity[]): string | undefined {
  const [first] = members;
  return Object.keys(first?.constants ?? {}).find((name) => {
    const own = new Set(members.map(({ constants }) => constants[name]));
    return own.size === 1 && !own.has(undefined) && intruders.every(({ constants }) => !own.has(constants[name]));
  });
}

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

const holesOf = (template: string) =>
  parseTemplate(template).filter((part): part is Exclude<TemplatePart, string> => typeof part !== 'string');

const isStored = (entity: Entity, name: string): boolean =>
  Object.hasOwn(entity.schema.shape, name) || Object.hasOwn(entity.constants, name);

const isSet = (entity: Entity, name: string): boolean => isStored(entity, name) || partsOf(entity, name).length > 0;

const isNumber = (entity: Entity, name: string): boolean => keyTypesOf([entity], name)[0]?.type === 'N';
