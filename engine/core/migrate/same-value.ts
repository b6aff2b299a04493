import type { AttributeValue } from '../../../tables/model/attribute-value.ts';
import { canonicalDecimal } from '../../../tables/model/decimal.ts';

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
  return names.length === Object.keys(b).length && names.every((name) => name in b && sameValue(a[name], b[name]));
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  const held = new Set(a);
  return a.length === b.length && b.every((text) => held.has(text));
}

function latin(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
