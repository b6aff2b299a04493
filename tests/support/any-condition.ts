import fc from 'fast-check';
import type { AttributeValue, Item } from '../../tables/model/attribute-value.ts';
import type { Condition } from '../../tables/model/condition.ts';

/** Words that are reserved, hold what expressions are made of, or look like placeholders. */
export const oddNames = ['status', 'size', 'a.b', 'x-y', '#n0', ':v0', 'name'] as const;

const attribute = fc.constantFrom(...oddNames);
const word = fc.constantFrom('a', 'ab', 'b', 'Z', 'é', '𝄞', ':v0', '{x}');
const number = fc.constantFrom('-2', '0', '1', '1.5', '10', '1E+20', '12345678901234567890123456789012345678');

const comparison: fc.Arbitrary<Condition> = fc.record({
  op: fc.constantFrom('equals', 'differs', 'less', 'atMost', 'greater', 'atLeast'),
  attribute,
  value: fc.oneof(
    word,
    number.map((N) => ({ N })),
  ),
});

const leaf: fc.Arbitrary<Condition> = fc.oneof(
  comparison,
  // DynamoDB orders no booleans.
  fc.record({ op: fc.constantFrom('equals', 'differs'), attribute, value: fc.boolean().map((BOOL) => ({ BOOL })) }),
  fc.record({ op: fc.constant('oneOf' as const), attribute, values: fc.array(word, { minLength: 1, maxLength: 3 }) }),
  fc.record({ op: fc.constant('beginsWith' as const), attribute, prefix: word }),
  fc.record({ op: fc.constantFrom('present', 'absent'), attribute }),
);

export const anyCondition: fc.Arbitrary<Condition> = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.record({
      op: fc.constantFrom('all', 'any'),
      conditions: fc.array(tie('condition'), { minLength: 1, maxLength: 3 }),
    }),
  ),
})).condition;

const value: fc.Arbitrary<AttributeValue> = fc.oneof(
  word.map((S) => ({ S })),
  number.map((N) => ({ N })),
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.constant<AttributeValue>({ SS: ['a', 'b'] }),
);

/** Some of the attributes that conditions name, with values of any type. */
export const oddItem: fc.Arbitrary<Item> = fc.dictionary(attribute, value, { maxKeys: 5 }).map((item) => ({ ...item }));
