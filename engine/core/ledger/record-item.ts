import { type AttributeValue, type Item, setAttribute } from '../../../tables/model/attribute-value.ts';

/** The ledger's own records are plain data; these two carry them to DynamoDB and back. Undefined members are left out. */
export function toRecordItem(record: object): Item {
  const item: Item = {};
  for (const [name, value] of Object.entries(record)) {
    if (value !== undefined) setAttribute(item, name, toValue(value));
  }
  return item;
}

export function fromRecordItem(item: Item): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, fromValue(value)]));
}

function toValue(value: unknown): AttributeValue {
  if (value === null) return { NULL: true };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value instanceof Uint8Array) return { B: value };
  if (Array.isArray(value)) return { L: value.map(toValue) };
  if (typeof value === 'object') return { M: toRecordItem(value) };
  throw new TypeError(`the ledger cannot hold a ${typeof value}`);
}

function fromValue(value: AttributeValue): unknown {
  if ('S' in value) return value.S;
  if ('N' in value) return Number(value.N);
  if ('BOOL' in value) return value.BOOL;
  if ('NULL' in value) return null;
  if ('B' in value) return value.B;
  if ('L' in value) return value.L.map(fromValue);
  if ('M' in value) return fromRecordItem(value.M);
  if ('SS' in value) return value.SS;
  if ('NS' in value) return value.NS.map(Number);
  return value.BS;
}
