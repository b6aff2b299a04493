/** A DynamoDB attribute value as it travels over the wire. Structurally the SDK's own type, without the SDK. */
export type AttributeValue =
  | { S: string }
  | { N: string }
  | { B: Uint8Array }
  | { BOOL: boolean }
  | { NULL: true }
  | { M: Record<string, AttributeValue> }
  | { L: AttributeValue[] }
  | { SS: string[] }
  | { NS: string[] }
  | { BS: Uint8Array[] };

export type Item = Record<string, AttributeValue>;

/** A plain value: numbers are decimal strings, so that no digit is lost. */
export type PlainValue =
  | string
  | boolean
  | null
  | Uint8Array
  | ReadonlySet<string>
  | ReadonlySet<Uint8Array>
  | readonly PlainValue[]
  | { readonly [name: string]: PlainValue };

/** An attribute of an item. Attributes may be called `constructor`; a plain look-up would find what every object has. */
export function attributeOf<T>(item: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(item, name) ? item[name] : undefined;
}

/**
 * Gives an item an attribute of any name. Plain assignment, and `Object.assign`, would lose one that is called `__proto__`;
 * `Object.fromEntries` and the spread of an item keep it.
 */
export function setAttribute<T>(item: Record<string, T>, name: string, value: NoInfer<T>): void {
  if (name === '__proto__') Object.defineProperty(item, name, { value, enumerable: true, configurable: true, writable: true });
  else item[name] = value;
}

export function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** The text of a string or number value; undefined for every other type. */
export function scalarText(value: AttributeValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  if ('S' in value) return value.S;
  if ('N' in value) return value.N;
  return undefined;
}

/** Which of DynamoDB's types a value has: `S`, `N`, `M` and so on. */
export function typeOf(value: AttributeValue): string {
  return Object.keys(value)[0] ?? 'nothing';
}

/** The plain form of a value; numbers stay decimal strings. */
export function toPlain(value: AttributeValue): PlainValue {
  if ('S' in value) return value.S;
  if ('N' in value) return value.N;
  if ('BOOL' in value) return value.BOOL;
  if ('NULL' in value) return null;
  if ('B' in value) return value.B;
  if ('L' in value) return value.L.map(toPlain);
  if ('M' in value) return plainItem(value.M);
  if ('SS' in value) return new Set(value.SS);
  if ('NS' in value) return new Set(value.NS);
  return new Set(value.BS);
}

export function plainItem(item: Item): { readonly [name: string]: PlainValue } {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toPlain(value)]));
}
