import { type AttributeValue, type Item, setAttribute } from '../../../tables/model/attribute-value.ts';

/** An item that cannot be changed, all the way down. The bytes of binary values cannot be frozen, so those are copies. */
export function frozenItem(item: Item): Item {
  const frozen: Item = {};
  for (const name of Object.keys(item)) setAttribute(frozen, name, frozenValue(item[name] as AttributeValue));
  return Object.freeze(frozen);
}

function frozenValue(value: AttributeValue): AttributeValue {
  if ('L' in value) return Object.freeze({ L: Object.freeze(value.L.map(frozenValue)) as AttributeValue[] });
  if ('M' in value) return Object.freeze({ M: frozenItem(value.M) });
  if ('B' in value) return Object.freeze({ B: new Uint8Array(value.B) });
  if ('BS' in value) return Object.freeze({ BS: Object.freeze(value.BS.map((bytes) => new Uint8Array(bytes))) as Uint8Array[] });
  if ('SS' in value) Object.freeze(value.SS);
  if ('NS' in value) Object.freeze(value.NS);
  return Object.freeze(value);
}
