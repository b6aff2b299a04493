import { type AttributeValue, attributeOf, type Item } from '../../../tables/model/attribute-value.ts';
import { bytesOf, isRecord, isTexts } from '../item/dynamo-json.ts';

/**
 * The item that freshly parsed DynamoDB JSON stands for, in place: all values but binaries are in their final form already,
 * so nothing is copied. Undefined when it is none; the JSON must not be used otherwise afterwards.
 */
export function adoptItem(json: unknown): Item | undefined {
  if (!isRecord(json)) return undefined;
  for (const name in json) if (!adoptValue(json[name])) return undefined;
  return json as Item;
}

/** As `adoptItem`, of one value. */
export function adoptValue(json: unknown): boolean {
  if (!isRecord(json)) return false;
  let type: string | undefined;
  for (const name in json) {
    if (type !== undefined) return false;
    type = name;
  }
  return type !== undefined && (attributeOf(adopters, type)?.(json[type], json) ?? false);
}

const adopters: Readonly<Record<string, (held: unknown, value: Record<string, unknown>) => boolean>> = {
  S: (held) => typeof held === 'string',
  N: (held) => typeof held === 'string',
  BOOL: (held) => typeof held === 'boolean',
  NULL: (held) => held === true,
  SS: isTexts,
  NS: isTexts,
  M: (held) => adoptItem(held) !== undefined,
  L: (held) => Array.isArray(held) && held.every(adoptValue),
  B: (held, value) => {
    if (typeof held !== 'string') return false;
    value.B = bytesOf(held);
    return true;
  },
  BS: (held, value) => {
    if (!isTexts(held)) return false;
    value.BS = held.map(bytesOf);
    return true;
  },
};

/** Are there binaries anywhere in it? Without any, an item is its own JSON. */
export function hasBinary(item: Item): boolean {
  for (const name in item) if (isBinary(item[name] as AttributeValue)) return true;
  return false;
}

export function isBinary(value: AttributeValue): boolean {
  if ('S' in value || 'N' in value) return false;
  if ('M' in value) return hasBinary(value.M);
  if ('L' in value) return value.L.some(isBinary);
  return 'B' in value || 'BS' in value;
}
