import { type AttributeValue, attributeOf, base64Of, type Item, setAttribute } from '../../../tables/model/attribute-value.ts';

/**
 * DynamoDB JSON: the wire form of values, in which binary is base64 text. Lossless both ways: numbers stay the texts
 * they are. Exports, dead letters and requests use the same form.
 */
export type JsonValue = { readonly [type: string]: unknown };
export type JsonItem = { readonly [name: string]: JsonValue };

export function toJsonItem(item: Item): JsonItem {
  const json: Record<string, JsonValue> = {};
  for (const name in item) setAttribute(json, name, toJsonValue(item[name] as AttributeValue));
  return json;
}

/** Values without binary are already in this form and pass as they are. */
function toJsonValue(value: AttributeValue): JsonValue {
  if ('B' in value) return { B: base64Of(value.B) };
  if ('BS' in value) return { BS: value.BS.map(base64Of) };
  if ('M' in value) return { M: toJsonItem(value.M) };
  if ('L' in value) return { L: value.L.map(toJsonValue) };
  return value;
}

/** The item that a JSON item stands for; undefined when it is none. */
export function fromJsonItem(json: unknown): Item | undefined {
  if (!isRecord(json)) return undefined;
  const item: Item = {};
  for (const [name, entry] of Object.entries(json)) {
    const value = fromJsonValue(entry);
    if (value === undefined) return undefined;
    setAttribute(item, name, value);
  }
  return item;
}

/** The item whose JSON a text is, such as the canonical text of a key in the ledger. */
export function itemOfText(text: string): Item {
  const item = fromJsonItem(JSON.parse(text));
  if (item === undefined) throw new TypeError('not the text of an item');
  return item;
}

export function fromJsonValue(json: unknown): AttributeValue | undefined {
  if (!isRecord(json)) return undefined;
  const entries = Object.entries(json);
  const [type, held] = entries[0] ?? [];
  if (type === undefined || entries.length !== 1) return undefined;
  return attributeOf(readers, type)?.(held);
}

const readers: Readonly<Record<string, (held: unknown) => AttributeValue | undefined>> = {
  S: (held) => (typeof held === 'string' ? { S: held } : undefined),
  N: (held) => (typeof held === 'string' ? { N: held } : undefined),
  B: (held) => (typeof held === 'string' ? { B: bytesOf(held) } : undefined),
  BOOL: (held) => (typeof held === 'boolean' ? { BOOL: held } : undefined),
  NULL: (held) => (held === true ? { NULL: true } : undefined),
  SS: (held) => (isTexts(held) ? { SS: held } : undefined),
  NS: (held) => (isTexts(held) ? { NS: held } : undefined),
  BS: (held) => (isTexts(held) ? { BS: held.map(bytesOf) } : undefined),
  M: (held) => {
    const members = fromJsonItem(held);
    return members === undefined ? undefined : { M: members };
  },
  L: (held) => {
    if (!Array.isArray(held)) return undefined;
    const members = held.map(fromJsonValue);
    return members.some((member) => member === undefined) ? undefined : { L: members as AttributeValue[] };
  },
};

export function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
