import { type AttributeValue, typeOf } from '../../../tables/model/attribute-value.ts';
import { brazilianToIso, isIsoDate, isIsoTime } from '../../../tables/model/time.ts';
import type { KindDraft, MemberDraft } from './table-draft.ts';

/** From so many values on, a form that all of them have is taken for the attribute's own. */
export const surelySeen = 20;

/** Values of one attribute. */
export interface SeenValues {
  readonly name: string;
  readonly values: readonly AttributeValue[];
  /** Nothing else is stored, so a form that all of them have excludes no record. */
  readonly complete: boolean;
  /** Inside a map or a list, where a word may be part of an address. */
  readonly nested?: true;
}

/** A kind that takes every value that was seen, and what could be said beyond it. */
export interface Guess {
  readonly type: KindDraft;
  readonly nullable: boolean;
  readonly hint?: string;
}

/**
 * The narrowest kind that the values are enough for. A narrow guess that is wrong refuses records that are stored; a wide one
 * only says too little. So a kind that is narrower than DynamoDB's own type takes all items of a table, or many of them.
 */
export function guessKind({ values, ...about }: SeenValues): Guess {
  const present = values.filter((value) => !('NULL' in value));
  const nullable = present.length < values.length;
  const types = new Set(present.map(typeOf));
  const [only] = types;
  if (types.size !== 1 || only === undefined) return { type: { kind: 'plainData' }, nullable: false, hint: mixed(types) };
  const sure = about.complete || present.length >= surelySeen;
  return { ...ofType(only, { ...about, values: present }, sure), nullable };
}

function mixed(types: ReadonlySet<string>): string {
  return types.size === 0 ? 'only NULL seen' : `values of types ${[...types].toSorted().join(', ')} seen`;
}

type Guessed = Pick<Guess, 'type' | 'hint'>;

function ofType(type: string, seen: SeenValues, sure: boolean): Guessed {
  if (type === 'S') return textKind(seen, sure);
  if (type === 'N') return numberKind(seen, sure);
  if (type === 'BOOL') return { type: { kind: 'flag' } };
  if (type === 'B') return { type: { kind: 'bytes' } };
  if (type === 'L') return listKind(seen);
  if (type === 'M') return mapKind(seen, sure);
  return { type: { kind: 'plainData' }, hint: `a set (${type}): to be read only, the model writes no sets` };
}

const spellings = [
  ['isoTime', isIsoTime],
  ['isoDay', isIsoDate],
  ['brazilianTime', (text: string) => brazilianToIso(text) !== undefined],
] as const;

function textKind(seen: SeenValues, sure: boolean): Guessed {
  const texts = seen.values.flatMap((value) => ('S' in value ? [value.S] : []));
  if (texts.some((text) => text === '')) return { type: { kind: 'note' }, hint: 'empty texts seen' };
  const spelling = spellings.find(([, isOne]) => texts.every(isOne))?.[0];
  if (spelling !== undefined) {
    return sure ? { type: { kind: spelling } } : { type: { kind: 'text' }, hint: `all are ${spelling}() so far` };
  }
  const values = seen.nested ? undefined : enumeration(seen.name, texts);
  if (values !== undefined) return { type: { kind: 'known', values }, hint: 'add the values that are missing' };
  if (texts.every(isJson)) return { type: { kind: 'text' }, hint: 'JSON in all: jsonText(…) reads it' };
  return { type: { kind: 'text' } };
}

/** What is called so holds one of a few words; of any other name, repeated words may well be people's. */
const enumerated = /(^|_)(status|state|type|kind|side|phase|stage|mode|direction|priority|severity|currency|category)$/i;
const maxEnumerated = 12;

function enumeration(name: string, texts: readonly string[]): readonly [string, ...string[]] | undefined {
  const spelled = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  if (!enumerated.test(spelled) || !texts.every((text) => /^[A-Za-z][A-Za-z_-]{0,31}$/.test(text))) return undefined;
  const [first, ...rest] = [...new Set(texts)].toSorted();
  if (first === undefined || rest.length === 0 || rest.length >= maxEnumerated) return undefined;
  const isRepeated = [first, ...rest].every((value) => texts.filter((text) => text === value).length >= 2);
  return isRepeated && texts.length >= surelySeen ? [first, ...rest] : undefined;
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const timely = /(^|_)(at|on|time|timestamp|date|ttl|expires|expiry|expiration|since|until|updated|created)(_|$)/i;
const counted = /(^|_)(count|counter|version|attempts?|retries|sequence|seq|slot|index|ms|seconds|minutes|hours|days)$/i;

/** Money, quantities and rates may have a fraction in the next record: only what its name says is counted is whole. */
function numberKind({ name, values }: SeenValues, sure: boolean): Guessed {
  const texts = values.flatMap((value) => ('N' in value ? [value.N] : []));
  if (!texts.every((text) => /^-?\d{1,15}$/.test(text))) return { type: { kind: 'decimal' } };
  const spelled = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  const numbers = texts.map(Number);
  if (timely.test(spelled) && numbers.every((value) => value >= 1e9 && value < 1e10)) {
    return sure ? { type: { kind: 'epochSeconds' } } : { type: { kind: 'decimal' }, hint: 'all may be epochSeconds()' };
  }
  if (timely.test(spelled) && numbers.every((value) => value >= 1e12 && value < 1e13)) {
    return { type: sure ? { kind: 'integer' } : { kind: 'decimal' }, hint: 'milliseconds since 1970, as it seems' };
  }
  if (counted.test(spelled) && sure) return { type: { kind: 'integer' } };
  return { type: { kind: 'decimal' }, hint: 'whole numbers only so far: integer() gives JavaScript numbers' };
}

function listKind({ name, values, complete }: SeenValues): Guessed {
  const elements = values.flatMap((value) => ('L' in value ? value.L : []));
  if (elements.length === 0) return { type: { kind: 'plainData' }, hint: 'empty lists only' };
  const { type, nullable, hint } = guessKind({ name, values: elements, complete, nested: true });
  if (nullable || type.kind === 'plainData') return { type: { kind: 'plainData' }, hint: 'a list of several types' };
  return { type: { kind: 'list', element: type }, ...(hint === undefined ? {} : { hint }) };
}

/** Member names are contents where they differ from item to item: then they stay out of the file. */
function mapKind({ values, complete }: SeenValues, sure: boolean): Guessed {
  const maps = values.flatMap((value) => ('M' in value ? [value.M] : []));
  const names = [...new Set(maps.flatMap((map) => Object.keys(map)))];
  const open: Guessed = { type: { kind: 'plainData' }, hint: 'a map: write its shape before you write to it' };
  if (!sure || names.length === 0) return open;
  if (maps.length >= 2 && names.every((name) => isMemberName(name, maps))) {
    return { type: { kind: 'map', members: Object.fromEntries(names.map((name) => [name, member(name, maps, complete)])) } };
  }
  const all = maps.flatMap((map) => Object.values(map));
  const { type, nullable } = guessKind({ name: 'member', values: all, complete, nested: true });
  return nullable || type.kind === 'plainData' ? open : { type: { kind: 'record', value: type }, hint: 'member names vary' };
}

function isMemberName(name: string, maps: readonly Readonly<Record<string, AttributeValue>>[]): boolean {
  const holders = maps.filter((map) => Object.hasOwn(map, name)).length;
  return /^[A-Za-z][A-Za-z0-9_]{0,40}$/.test(name) && holders * 2 >= maps.length;
}

function member(name: string, maps: readonly Readonly<Record<string, AttributeValue>>[], complete: boolean): MemberDraft {
  const values = maps.flatMap((map) => (Object.hasOwn(map, name) ? (map[name] ?? []) : []));
  const { type, nullable } = guessKind({ name, values, complete, nested: true });
  return { type, nullable, optional: values.length < maps.length };
}
