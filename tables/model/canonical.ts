import { type AttributeValue, base64Of, type Item, typeOf } from './attribute-value.ts';
import { canonicalDecimal } from './decimal.ts';
import type { KeyAttribute, KeySchema } from './table.ts';

/** The SHA-256 of a text, in hexadecimal digits. Comes from outside: the model and the engine's core have no cryptography. */
export type Digest = (text: string) => string;

/**
 * One text per content: equal items have equal texts, however their attributes are ordered, their numbers spelt or their
 * sets listed. The text is the item's DynamoDB JSON. Its digests are kept in ledgers, so it may not change.
 */
export function canonicalItem(item: Item): string {
  // By code units: that is what no comparison means, and it takes a third of the time of a given one.
  const names = Object.keys(item).sort();
  const members = names.map((name) => `${JSON.stringify(name)}:${canonicalValue(item[name] as AttributeValue)}`);
  return `{${members.join(',')}}`;
}

export function canonicalValue(value: AttributeValue): string {
  if ('S' in value) return `{"S":${JSON.stringify(value.S)}}`;
  if ('N' in value) return `{"N":"${canonicalDecimal(value.N)}"}`;
  if ('BOOL' in value) return `{"BOOL":${value.BOOL}}`;
  if ('NULL' in value) return '{"NULL":true}';
  if ('B' in value) return `{"B":"${base64Of(value.B)}"}`;
  if ('L' in value) return `{"L":[${value.L.map(canonicalValue).join(',')}]}`;
  if ('M' in value) return `{"M":${canonicalItem(value.M)}}`;
  if ('SS' in value) return `{"SS":${sortedList(value.SS)}}`;
  if ('NS' in value) return `{"NS":${sortedList(value.NS.map(canonicalDecimal))}}`;
  return `{"BS":${sortedList(value.BS.map(base64Of))}}`;
}

function sortedList(texts: readonly string[]): string {
  return JSON.stringify(texts.toSorted(byCodeUnits));
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Are two values the same to DynamoDB? Numbers by value, sets without order, binary by its bytes. */
export function sameValue(a: AttributeValue | undefined, b: AttributeValue | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  // Most values are texts and flags, which need no canonical form.
  if ('S' in a) return 'S' in b && a.S === b.S;
  if ('BOOL' in a) return 'BOOL' in b && a.BOOL === b.BOOL;
  return typeOf(a) === typeOf(b) && canonicalValue(a) === canonicalValue(b);
}

/**
 * One text per primary key: two items have the same one exactly if DynamoDB would take them for the same item. Numbers
 * are compared by value, so `1` and `1.0` are one key. Every request of the writer asks for it, so it is no JSON. The key
 * must have been checked before.
 */
export function keyIdentity(schema: KeySchema, body: Item): string {
  const hash = partIdentity(schema.hash, body);
  // The length keeps `ab`+`c` apart from `a`+`bc`.
  return schema.range === undefined ? hash : `${hash.length}:${hash}${partIdentity(schema.range, body)}`;
}

function partIdentity(attribute: KeyAttribute, body: Item): string {
  // What every object has, should an absent part be called `constructor`, is none of the types below.
  const value = body[attribute.name];
  if (value === undefined) return '';
  if ('S' in value) return value.S;
  if ('N' in value) return canonicalDecimal(value.N);
  return 'B' in value ? Buffer.from(value.B).toString('latin1') : '';
}
