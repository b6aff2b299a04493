import type { AttributeValue, Item } from './attribute-value.ts';

/** The stored form of plain data, by its own shape. Undefined members are left out. */
export function storePlain(value: unknown): AttributeValue {
  if (value === null) return { NULL: true };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number' && Number.isFinite(value)) return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value instanceof Uint8Array) return { B: value };
  if (Array.isArray(value)) return { L: value.map(storePlain) };
  if (value instanceof Set) throw new TypeError('plain data cannot hold a set');
  if (typeof value === 'object') return { M: storeMembers(value) };
  throw new TypeError(`plain data cannot hold ${typeof value === 'number' ? String(value) : `a ${typeof value}`}`);
}

function storeMembers(value: object): Item {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, storePlain(member)]));
}

/** The plain data that a value stands for. A set, which plain data never was stored as, is no list. */
export function readPlain(value: AttributeValue): unknown {
  if ('S' in value) return value.S;
  if ('N' in value) return Number(value.N);
  if ('BOOL' in value) return value.BOOL;
  if ('NULL' in value) return null;
  if ('B' in value) return value.B;
  if ('L' in value) return value.L.map(readPlain);
  if ('M' in value) return Object.fromEntries(Object.entries(value.M).map(([name, member]) => [name, readPlain(member)]));
  if ('SS' in value) return new Set(value.SS);
  if ('NS' in value) return new Set(value.NS.map(Number));
  return new Set(value.BS);
}
