import type { AttributeValue } from '../../../../tables/model/attribute-value.ts';
import { bytesText } from './bytes-text.ts';

/** Every text of a value: numbers, what bytes say and the names of members, too. */
export function textsIn(value: AttributeValue): readonly string[] {
  if ('S' in value) return [value.S];
  if ('N' in value) return [value.N];
  if ('SS' in value) return value.SS;
  if ('NS' in value) return value.NS;
  if ('B' in value) return [bytesText(value.B)];
  if ('BS' in value) return value.BS.map(bytesText);
  if ('L' in value) return value.L.flatMap(textsIn);
  return 'M' in value ? Object.entries(value.M).flatMap(([name, entry]) => [name, ...textsIn(entry)]) : [];
}
