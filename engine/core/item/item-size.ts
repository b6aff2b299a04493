import type { AttributeValue, Item } from '../../../tables/model/attribute-value.ts';

/** DynamoDB Developer Guide, "Quotas: item size": attribute names and values together, 400 KB of 1,024 bytes. */
export const maxItemBytes = 400 * 1_024;

// DynamoDB Developer Guide, "DynamoDB item sizes and formats" (CapacityUnitCalculations).
const containerOverheadBytes = 3;
const elementOverheadBytes = 1;

/** The size of an item by which DynamoDB limits and bills it: the UTF-8 names and the values. */
export function itemBytes(item: Item): number {
  let bytes = 0;
  for (const name in item) bytes += textBytes(name) + valueBytes(item[name] as AttributeValue);
  return bytes;
}

/** The size of one value, without its name. */
export function valueBytes(value: AttributeValue): number {
  if ('S' in value) return textBytes(value.S);
  if ('N' in value) return numberBytes(value.N);
  if ('B' in value) return value.B.byteLength;
  if ('BOOL' in value || 'NULL' in value) return 1;
  if ('M' in value) return containerOverheadBytes + itemBytes(value.M) + elementOverheadBytes * Object.keys(value.M).length;
  if ('L' in value) return containerOverheadBytes + total(value.L, valueBytes) + elementOverheadBytes * value.L.length;
  if ('SS' in value) return total(value.SS, textBytes);
  if ('NS' in value) return total(value.NS, (text) => numberBytes(text));
  return total(value.BS, (bytes) => bytes.byteLength);
}

function total<T>(parts: readonly T[], size: (part: T) => number): number {
  let bytes = 0;
  for (const part of parts) bytes += size(part);
  return bytes;
}

const textBytes = (text: string): number => Buffer.byteLength(text);

const zero = 48;
const nine = 57;

/** A byte per two significant digits and one more; leading and trailing zeros are not stored. */
export function numberBytes(text: string, from = 0, to: number = text.length): number {
  let digits = 0;
  let pendingZeros = 0;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x65 || code === 0x45) break;
    if (code < zero || code > nine) continue;
    if (code === zero) {
      if (digits > 0) pendingZeros += 1;
      continue;
    }
    digits += pendingZeros + 1;
    pendingZeros = 0;
  }
  return Math.ceil(digits / 2) + 1;
}
