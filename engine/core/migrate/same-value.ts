import type { AttributeValue } from '../../../tables/model/attribute-value.ts';
import { canonicalDecimal, decimalProblem } from '../../../tables/model/decimal.ts';

/** Are two values the same to DynamoDB? Numbers by value, sets without order, binary by its bytes. */
export function sameValue(a: AttributeValue | undefined, b: AttributeValue | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if ('S' in a) return 'S' in b && a.S === b.S;
  if ('N' in a) return 'N' in b && (a.N === b.N || canonicalDecimal(a.N) === canonicalDecimal(b.N));
  if ('BOOL' in a) return 'BOOL' in b && a.BOOL === b.BOOL;
  if ('NULL' in a) return 'NULL' in b;
  if ('B' in a) return 'B' in b && Buffer.compare(a.B, b.B) === 0;
  if ('L' in a) return 'L' in b && a.L.length === b.L.length && a.L.every((value, at) => sameValue(value, b.L[at]));
  if ('M' in a) return 'M' in b && sameMembers(a.M, b.M);
  if ('SS' in a) return 'SS' in b && sameTexts(a.SS, b.SS);
  if ('NS' in a) return 'NS' in b && sameTexts(a.NS.map(canonicalDecimal), b.NS.map(canonicalDecimal));
  return 'BS' in b && sameTexts(a.BS.map(latin), b.BS.map(latin));
}

export function sameMembers(a: Readonly<Record<string, AttributeValue>>, b: Readonly<Record<string, AttributeValue>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && sameValue(a[name], b[name]));
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  const held = new Set(a);
  return a.length === b.length && b.every((text) => held.has(text));
}

function latin(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

/** An attribute of an item. Attributes may be called `constructor`; a plain look-up would find what every object has. */
export function attributeOf(item: Readonly<Record<string, AttributeValue>>, name: string): AttributeValue | undefined {
  return Object.hasOwn(item, name) ? item[name] : undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;
const isNumber = (value: unknown): boolean => isText(value) && decimalProblem(value) === undefined;
const isSet = (value: unknown, member: (entry: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(member);

const forms: Readonly<Record<string, (value: unknown) => boolean>> = {
  S: isText,
  N: isNumber,
  B: isBytes,
  BOOL: (value) => typeof value === 'boolean',
  NULL: (value) => value === true,
  SS: (value) => isSet(value, isText),
  NS: (value) => isSet(value, isNumber),
  BS: (value) => isSet(value, isBytes),
  L: (value) => Array.isArray(value) && value.every(isAttributeValue),
  M: (value) => typeof value === 'object' && value !== null && Object.values(value).every(isAttributeValue),
};

/** Is it a value that DynamoDB takes? What a migration's function gives may be anything. */
export function isAttributeValue(value: unknown): value is AttributeValue {
  if (typeof value !== 'object' || value === null) return false;
  const entries = Object.entries(value);
  const [type, held] = entries[0] ?? [];
  return entries.length === 1 && type !== undefined && Object.hasOwn(forms, type) && forms[type]?.(held) === true;
}
