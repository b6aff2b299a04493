import type { AttributeValue } from '../../../tables/model/attribute-value.ts';
import { decimalProblem } from '../../../tables/model/decimal.ts';

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
