import type { AttributeValue, Item } from '../../../tables/model/attribute-value.ts';
import { canonicalDecimal } from '../../../tables/model/decimal.ts';
import { fromJsonItem } from './dynamo-json.ts';

/**
 * One text per content: equal items have equal texts, however their attributes are ordered, their numbers spelt or their
 * sets listed. For content hashes.
 */
export function canonicalItem(item: Item): string {
  const members = Object.keys(item)
    .toSorted(byCodeUnits)
    .map((name) => `${JSON.stringify(name)}:${canonicalValue(item[name] as AttributeValue)}`);
  return `{${members.join(',')}}`;
}

/** The item that a canonical text stands for. */
export function itemOfCanonical(text: string): Item {
  const item = fromJsonItem(JSON.parse(text));
  if (item === undefined) throw new TypeError('not the canonical text of an item');
  return item;
}

function canonicalValue(value: AttributeValue): string {
  if ('S' in value) return `{"S":${JSON.stringify(value.S)}}`;
  if ('N' in value) return `{"N":"${canonicalDecimal(value.N)}"}`;
  if ('BOOL' in value) return `{"BOOL":${value.BOOL}}`;
  if ('NULL' in value) return '{"NULL":true}';
  if ('B' in value) return `{"B":"${base64(value.B)}"}`;
  if ('L' in value) return `{"L":[${value.L.map(canonicalValue).join(',')}]}`;
  if ('M' in value) return `{"M":${canonicalItem(value.M)}}`;
  if ('SS' in value) return `{"SS":${sortedList(value.SS)}}`;
  if ('NS' in value) return `{"NS":${sortedList(value.NS.map(canonicalDecimal))}}`;
  return `{"BS":${sortedList(value.BS.map(base64))}}`;
}

function sortedList(texts: readonly string[]): string {
  return JSON.stringify(texts.toSorted(byCodeUnits));
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
