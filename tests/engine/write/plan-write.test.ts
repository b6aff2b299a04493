import { expect } from 'chai';
import fc from 'fast-check';
import type { TransactEntry } from '../../../engine/core/store/store.ts';
import { planTransaction } from '../../../engine/core/write/plan-write.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { sameValue } from '../../../tables/model/canonical.ts';
import { absent, all, type Condition, equals, holds } from '../../../tables/model/condition.ts';
import type { Write } from '../../../tables/model/operation.ts';
import { parseStackConfig } from '../../../tables/model/stack/stack-config.ts';
import { anyCondition } from '../../support/any-condition.ts';
import { ExpressionReader } from '../../support/evaluate-expression.ts';
import { contentOf } from '../../support/migrate-engine.ts';
import { tables } from '../../support/project.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';
import { resetToys, things, toyTables } from '../../support/toy-table.ts';

const idOf = (number: number): Item => ({ id: { S: `thing-${number}` } });
const names = ['status', 'size', 'a.b', 'x-y', 'name'] as const;

/** Attributes of an update, each in one clause only; sums are of attributes that hold numbers or nothing. */
const anyChange = fc
  .tuple(
    fc.dictionary(
      fc.constantFrom('status', 'a.b'),
      fc.constantFrom('a', 'b').map((S) => ({ S })),
      { maxKeys: 2 },
    ),
    fc.dictionary(fc.constantFrom('sum', 'total-'), fc.integer({ min: -5, max: 5 }).map(String), { maxKeys: 2 }),
    fc.uniqueArray(fc.constantFrom('x-y', 'name'), { maxLength: 2 }),
  )
  .filter(([set, add, remove]) => Object.keys(set).length + Object.keys(add).length + remove.length > 0)
  .map(([set, add, remove]) => ({ set: { ...set }, add: { ...add }, remove }));

const anyPlainItem = fc
  .dictionary(
    fc.constantFrom(...names),
    fc.constantFrom('a', 'ab').map((S) => ({ S })),
    { maxKeys: 4 },
  )
  .map((item): Item => ({ ...item }));

/** No guard, a condition, or attributes as they were seen. */
const guard = fc.oneof(
  fc.constant({}),
  anyCondition.map((condition) => ({ condition })),
  fc
    .dictionary(
      fc.constantFrom(...names),
      fc.option(
        fc.constantFrom('a', 'ab').map((S) => ({ S })),
        { nil: undefined },
      ),
      { maxKeys: 3 },
    )
    .map((seen) => ({ seen: { ...seen } })),
);

const writeAt = (number: number): fc.Arbitrary<Write> =>
  fc.oneof(
    fc
      .tuple(anyPlainItem, guard)
      .map(([item, more]) => ({ kind: 'put', table: things, item: { ...item, ...idOf(number) }, ...more }) as const),
    guard.map((more) => ({ kind: 'delete', table: things, key: idOf(number), ...more }) as const),
    fc
      .tuple(anyChange, guard)
      .map(([change, more]) => ({ kind: 'update', table: things, key: idOf(number), ...change, ...more }) as const),
    anyCondition.map((condition) => ({ kind: 'check', table: things, key: idOf(number), condition }) as const),
  );

/** One write to each of some items: DynamoDB takes no two to one item. */
const anyWrites = fc
  .uniqueArray(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 3 })
  .chain((numbers) => fc.tuple(...numbers.map(writeAt)));

const textOf = ({ id }: Item) => (id as { readonly S: string }).S;
const keyText = (write: Write) => textOf(write.kind === 'put' ? write.item : write.key);

/** What a write leaves of an item, by the meaning of its clauses. */
function apply(write: Write, before: Item | undefined): Item | undefined {
  if (write.kind === 'put') return write.item;
  if (write.kind === 'delete') return undefined;
  if (write.kind === 'check') return before;
  const after: Item = { ...before, ...write.key, ...write.set };
  for (const [name, amount] of Object.entries(write.add ?? {})) {
    const sum = before?.[name] as { readonly N: string } | undefined;
    after[name] = { N: String(Number(sum?.N ?? 0) + Number(amount)) };
  }
  for (const name of write.remove ?? []) delete after[name];
  return after;
}

/** By the meaning of its guard. */
function isAllowed({ condition, seen }: Write, before: Item | undefined): boolean {
  if (seen === undefined) return condition === undefined || holds(condition, before ?? {});
  return before !== undefined && Object.entries(seen).every(([name, value]) => sameValue(before[name], value));
}

const partsOf = (entry: TransactEntry) => Object.values(entry)[0] as { ConditionExpression?: string; UpdateExpression?: string };

describe('planTransaction', () => {
  it('gives whole requests: a put, a guarded delete, an update with every clause', () => {
    const condition: Condition = all(equals('status', 'open'), absent('x-y'));
    const writes: readonly Write[] = [
      { kind: 'put', table: things, item: { ...idOf(1), colour: { S: 'red' } } },
      { kind: 'delete', table: things, key: idOf(2), condition },
      {
        kind: 'update',
        table: things,
        key: idOf(3),
        set: { status: { S: 'done' }, at: { N: '1' } },
        add: { total: '-2' },
        remove: ['x-y'],
        condition,
      },
    ];
    const TableName = 'toy-things-test';
    expect(planTransaction({ writes }, testConfig)).to.deep.equal({
      TransactItems: [
        { Put: { TableName, Item: { ...idOf(1), colour: { S: 'red' } } } },
        {
          Delete: {
            TableName,
            Key: idOf(2),
            ConditionExpression: '(#n0 = :v0 AND attribute_not_exists(#n1))',
            ExpressionAttributeNames: { '#n0': 'status', '#n1': 'x-y' },
            ExpressionAttributeValues: { ':v0': { S: 'open' } },
          },
        },
        {
          Update: {
            TableName,
            Key: idOf(3),
            UpdateExpression: 'SET #n0 = :v0, #n1 = :v1 ADD #n2 :v2 REMOVE #n3',
            // The guard names what the update names by the same placeholder, and compares with a value of its own.
            ConditionExpression: '(#n0 = :v3 AND attribute_not_exists(#n3))',
            ExpressionAttributeNames: { '#n0': 'status', '#n1': 'at', '#n2': 'total', '#n3': 'x-y' },
            ExpressionAttributeValues: { ':v0': { S: 'done' }, ':v1': { N: '1' }, ':v2': { N: '-2' }, ':v3': { S: 'open' } },
          },
        },
      ],
    });
  });

  it('names tables as the stack does, and keeps the order of the writes', () => {
    const prod = parseStackConfig('prod', { 'tablewright:production': true }, tables);
    const writes = [3, 1, 2].map((number) => ({ kind: 'delete', table: things, key: idOf(number) }) as const);
    const { TransactItems } = planTransaction({ writes }, prod);
    expect(TransactItems.map((entry) => ('Delete' in entry ? [entry.Delete.TableName, entry.Delete.Key] : []))).to.deep.equal(
      [3, 1, 2].map((number) => ['toy-things', idOf(number)]),
    );
  });

  it('defines every placeholder that it uses, and no other', () =>
    fc.assert(
      fc.property(anyWrites, (writes) => {
        for (const entry of planTransaction({ writes }, testConfig).TransactItems) {
          const { ConditionExpression, UpdateExpression = '' } = partsOf(entry);
          const reader = new ExpressionReader(Object.values(entry)[0] as object);
          if (ConditionExpression !== undefined) reader.read(ConditionExpression);
          const updated: readonly string[] = UpdateExpression.match(/[#:]\w+/g) ?? [];
          expect(reader.unused().filter((placeholder) => !updated.includes(placeholder))).to.deep.equal([]);
          const parts = Object.values(entry)[0] as { ExpressionAttributeNames?: object; ExpressionAttributeValues?: object };
          const defined = { ...parts.ExpressionAttributeNames, ...parts.ExpressionAttributeValues };
          expect(Object.keys(defined)).to.include.members(updated);
        }
      }),
      { numRuns: 300 },
    ));

  describe('on the embedded engine', () => {
    const engine = useEngine(toyTables);

    it('does what the writes mean, all of them or none', async function () {
      this.timeout(60_000);
      const anyBefore = fc.array(fc.option(anyPlainItem, { nil: undefined }), { minLength: 4, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(anyBefore, anyWrites, async (before, writes) => {
          const items = before.flatMap((item, at) => (item === undefined ? [] : [{ ...item, ...idOf(at) }]));
          await resetToys(engine(), items);
          const stored = new Map<string, Item>(items.map((item) => [textOf(item), item]));
          const refused = writes.filter((write) => !isAllowed(write, stored.get(keyText(write))));
          const answer = await engine().environment.store.transact(planTransaction({ writes }, testConfig));
          expect(answer.done).to.equal(refused.length === 0);
          if (answer.done) {
            for (const write of writes) {
              const after = apply(write, stored.get(keyText(write)));
              if (after === undefined) stored.delete(keyText(write));
              else stored.set(keyText(write), after);
            }
          } else {
            const blamed = writes.filter((_, at) => answer.reasons[at] === 'ConditionalCheckFailed');
            expect(blamed).to.deep.equal(refused);
          }
          expect(Object.values(await contentOf(engine(), things))).to.have.deep.members([...stored.values()]);
        }),
        { numRuns: 80 },
      );
    });
  });
});
