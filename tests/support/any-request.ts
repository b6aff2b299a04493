import fc from 'fast-check';
import type { WireInput, WireOperation } from '../../engine/aws/wire/wire.ts';
import { anyItem, anyName, anyValue } from './any-item.ts';

/** A request of any of the wire's operations, with its operation. */
export type AnyRequest = {
  readonly [O in WireOperation]: { readonly operation: O; readonly input: WireInput<O> };
}[WireOperation];

const table = fc.stringMatching(/^[a-zA-Z0-9_.-]{3,20}$/);
const text = fc.string({ unit: 'binary' });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const some = <T>(value: fc.Arbitrary<T>) => fc.array(value, { minLength: 1, maxLength: 3 });

function mapOf<T>(name: fc.Arbitrary<string>, value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> {
  return fc.uniqueArray(fc.tuple(name, value), { maxLength: 3, selector: ([key]) => key }).map(Object.fromEntries);
}

const expressions = {
  ExpressionAttributeNames: maybe(
    mapOf(
      anyName.map((name) => `#${name}`),
      anyName,
    ),
  ),
  ExpressionAttributeValues: maybe(
    mapOf(
      anyName.map((name) => `:${name}`),
      anyValue,
    ),
  ),
};
const capacity = maybe(fc.constantFrom('INDEXES' as const, 'TOTAL' as const, 'NONE' as const));

const page = {
  TableName: table,
  IndexName: maybe(table),
  FilterExpression: maybe(text),
  ProjectionExpression: maybe(text),
  Limit: maybe(fc.integer({ min: 1, max: 1_000 })),
  ConsistentRead: maybe(fc.boolean()),
  ExclusiveStartKey: maybe(anyItem),
  ReturnConsumedCapacity: capacity,
  ...expressions,
};

const inputs: { readonly [O in WireOperation]: fc.Arbitrary<unknown> } = {
  BatchWriteItem: fc.record({
    RequestItems: mapOf(
      table,
      some(
        fc.oneof(
          fc.record({ PutRequest: fc.record({ Item: anyItem }) }),
          fc.record({ DeleteRequest: fc.record({ Key: anyItem }) }),
        ),
      ),
    ),
    ReturnConsumedCapacity: capacity,
  }),
  BatchGetItem: fc.record({
    RequestItems: mapOf(
      table,
      fc.record({ Keys: some(anyItem), ConsistentRead: maybe(fc.boolean()), ProjectionExpression: maybe(text) }),
    ),
    ReturnConsumedCapacity: capacity,
  }),
  BatchExecuteStatement: fc.record({
    Statements: some(
      fc.record({
        Statement: text,
        Parameters: maybe(some(anyValue)),
        ReturnValuesOnConditionCheckFailure: maybe(fc.constant('ALL_OLD')),
      }),
    ),
    ReturnConsumedCapacity: capacity,
  }),
  Query: fc.record({ ...page, KeyConditionExpression: text, ScanIndexForward: maybe(fc.boolean()) }),
  Scan: fc.record({ ...page, Segment: maybe(fc.nat()), TotalSegments: maybe(fc.nat()) }),
  TransactWriteItems: fc.record({
    TransactItems: some(
      fc.oneof(
        fc.record({ Put: fc.record({ TableName: table, Item: anyItem, ConditionExpression: maybe(text), ...expressions }) }),
        fc.record({ Update: fc.record({ TableName: table, Key: anyItem, UpdateExpression: text, ...expressions }) }),
        fc.record({ Delete: fc.record({ TableName: table, Key: anyItem, ...expressions }) }),
        fc.record({ ConditionCheck: fc.record({ TableName: table, Key: anyItem, ConditionExpression: text, ...expressions }) }),
      ),
    ),
    // The SDK makes one up where there is none.
    ClientRequestToken: fc.uuid(),
    ReturnConsumedCapacity: capacity,
  }),
};

/** Requests as the toolkit makes them: every member it uses, names and values of every kind. */
export const anyRequest: fc.Arbitrary<AnyRequest> = fc.oneof(
  ...Object.entries(inputs).map(([operation, input]) => input.map((made) => ({ operation, input: made }) as AnyRequest)),
);
