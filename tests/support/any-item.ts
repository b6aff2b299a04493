import fc from 'fast-check';
import type { AttributeValue, Item } from '../../tables/model/attribute-value.ts';

/** Attribute names: any text but the empty one, and often such as every object has something under already. */
export const anyName: fc.Arbitrary<string> = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.string({ minLength: 1, unit: 'binary' }),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'S', 'M', 'ключ', '鍵', '🗝'),
);

/** By entries: what is set one by one loses `__proto__`. */
function recordOf<T>(value: fc.Arbitrary<T>, maxKeys: number): fc.Arbitrary<Record<string, T>> {
  return fc.uniqueArray(fc.tuple(anyName, value), { maxLength: maxKeys, selector: ([name]) => name }).map(Object.fromEntries);
}

const bytes = fc.uint8Array({ maxLength: 20 }).map((array) => new Uint8Array(array));

/** Decimal texts as DynamoDB keeps them exactly: up to 38 digits, also far from 1. */
export const anyNumber: fc.Arbitrary<string> = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 1n, max: 10n ** 38n - 1n }), fc.integer({ min: -100, max: 80 }))
  .map(([negative, digits, power]) => `${negative ? '-' : ''}${digits}E${power}`);

const anyScalar: fc.Arbitrary<AttributeValue> = fc.oneof(
  fc.string({ unit: 'binary' }).map((S) => ({ S })),
  anyNumber.map((N) => ({ N })),
  bytes.map((B) => ({ B })),
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.constant<AttributeValue>({ NULL: true }),
  fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 4 }).map((SS) => ({ SS })),
  fc.uniqueArray(fc.integer().map(String), { minLength: 1, maxLength: 4 }).map((NS) => ({ NS })),
  fc
    .uniqueArray(bytes, { minLength: 1, maxLength: 3, selector: (value) => Buffer.from(value).toString('hex') })
    .map((BS) => ({ BS })),
);

/** A value of any of DynamoDB's types, nested. */
export const anyValue: fc.Arbitrary<AttributeValue> = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    anyScalar,
    fc.array(tie('value'), { maxLength: 4 }).map((L) => ({ L })),
    recordOf(tie('value'), 4).map((M) => ({ M })),
  ),
})).value;

export const anyItem: fc.Arbitrary<Item> = recordOf(anyValue, 6);
