import {
  BatchExecuteStatementCommand,
  type ConsumedCapacity,
  ExecuteStatementCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import fc from 'fast-check';
import { itemBytes } from '../../../engine/core/item/item-size.ts';
import { changeUnits, writtenEntries } from '../../../engine/core/migrate/change-units.ts';
import type { Update } from '../../../engine/core/migrate/decide-item.ts';
import { ExpressionBuilder } from '../../../engine/core/store/expression.ts';
import { startBed } from '../../../engine/testing/test-bed.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { integer, text } from '../../../tables/model/attributes.ts';
import { canonicalValue, sameValue } from '../../../tables/model/canonical.ts';
import { defineEntity } from '../../../tables/model/entity.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { defineTable, keyNames } from '../../../tables/model/table.ts';
import { skipWithout } from '../../support/java.ts';
import { testConfig } from '../../support/test-engine.ts';

const names = ['a', 'b', 'c', 'd'] as const;
const optional = text().optional();
const thing = defineEntity({
  name: 'THING',
  description: 'A thing',
  attributes: { id: text(), a: optional, b: optional, c: optional, n: integer().optional(), d: optional },
});
const table = defineTable({
  name: 'tuples',
  system: 'toys',
  namespace: 'tuples',
  description: 'Keys of several attributes',
  hash: 'id',
  indexes: {
    whole: { hash: ['a', 'b'], range: ['c', 'n'] },
    keys: { hash: ['b', 'n'], range: ['a'], projection: 'KEYS_ONLY' },
    some: { hash: ['a', 'c'], projection: { include: ['d'] } },
  },
  entities: [thing],
});

const item = fc
  .record(
    { ...Object.fromEntries(names.map((name) => [name, fc.constantFrom({ S: 'x' }, { S: 'xy' }, { S: 'z'.repeat(7) })])) },
    { requiredKeys: [] },
  )
  .chain((texts) =>
    fc.option(fc.constantFrom('1', '-2.5'), { nil: undefined }).map((N) => (N === undefined ? texts : { ...texts, n: { N } })),
  )
  .map((values) => values as Item);

/** The update that makes one item of another. */
function changeOf(id: string, before: Item, after: Item): Update {
  const set = Object.fromEntries(Object.entries(after).filter(([name, value]) => !sameValue(before[name], value)));
  const remove = Object.keys(before).filter((name) => !(name in after));
  const touched = Object.fromEntries(Object.entries(before).filter(([name]) => name in set || remove.includes(name)));
  return { kind: 'update', key: { id: { S: id } }, set, remove, guard: {}, before: touched };
}

/**
 * DynamoDB Developer Guide, "Global secondary indexes: write capacity": an item that is in an index neither before nor after costs
 * nothing there. DynamoDB Local counts a unit all the same where such an item's key attributes change.
 */
function unitsIn(consumed: ConsumedCapacity | undefined, sides: readonly Item[]): number {
  const held = table.indexes.filter((index) => sides.some((side) => keyNames(index).every((name) => name in side)));
  const units = held.map(({ name }) => consumed?.GlobalSecondaryIndexes?.[name]?.CapacityUnits ?? 0);
  return units.reduce((sum, one) => sum + one, consumed?.Table?.CapacityUnits ?? 0);
}

describe('a change of a record in indexes on several attributes', () => {
  it('falls on partitions that are told apart by the whole tuple', () => {
    const partition = (a: string, b: string) => {
      const change = changeOf('1', {}, { a: { S: a }, b: { S: b }, c: { S: 'c' }, n: { N: '1' } });
      const entry = writtenEntries(table, change, {}).find(({ part }) => part === 'whole');
      return entry?.key === undefined ? undefined : canonicalValue(entry.key);
    };
    expect(partition('x', 'yz')).not.to.equal(undefined);
    expect(partition('x', 'yz')).to.equal(partition('x', 'yz'));
    expect(partition('x', 'yz')).not.to.equal(partition('xy', 'z'));
  });

  describe('beside Amazon’s engine', () => {
    const engine = 'dynamodb-local';
    skipWithout(engine);

    it('can be made by PartiQL by the table’s key, which moves it in the index; PartiQL cannot read such an index', async () => {
      const bed = await startBed({ tables: [table], config: testConfig, engine });
      const TableName = physicalName(table, bed.config);
      try {
        await bed.put(table, thing, [{ id: '1', a: 'x', b: 'y', c: 'c', n: 1 }]);
        const { Responses } = await bed.client.send(
          new BatchExecuteStatementCommand({
            Statements: [
              {
                Statement: `UPDATE "${TableName}" SET "b"=? WHERE "id"=? AND "b"=?`,
                Parameters: [{ S: 'z' }, { S: '1' }, { S: 'y' }],
              },
            ],
          }),
        );
        expect(Responses?.map(({ Error: error }) => error?.Code)).to.deep.equal([undefined]);
        const asked = async (b: string) => {
          const KeyConditionExpression = 'a = :a AND b = :b';
          const ExpressionAttributeValues = { ':a': { S: 'x' }, ':b': { S: b } };
          const request = { TableName, IndexName: 'whole', KeyConditionExpression, ExpressionAttributeValues };
          return (await bed.client.send(new QueryCommand(request))).Count;
        };
        expect([await asked('y'), await asked('z')]).to.deep.equal([0, 1]);
        const select = new ExecuteStatementCommand({
          Statement: `SELECT * FROM "${TableName}"."whole" WHERE "a"=? AND "b"=?`,
          Parameters: [{ S: 'x' }, { S: 'z' }],
        });
        const answer = await bed.client.send(select).then(
          () => 'taken',
          (error: Error) => error.name,
        );
        expect(answer).to.equal('ValidationException');
      } finally {
        await bed.close();
      }
    }).timeout(60_000);

    it('costs the units that are expected of it', async () => {
      const bed = await startBed({ tables: [table], config: testConfig, engine });
      const TableName = physicalName(table, bed.config);
      try {
        for (const [at, [before, after]] of fc.sample(fc.tuple(item, item), 150).entries()) {
          const id = `i${at}`;
          const change = changeOf(id, before, after);
          if (Object.keys(change.set).length + change.remove.length === 0) continue;
          await bed.client.send(new PutItemCommand({ TableName, Item: { id: { S: id }, ...before } }));
          const expressions = new ExpressionBuilder();
          const UpdateExpression = expressions.update({ set: change.set, remove: change.remove });
          const { ConsumedCapacity } = await bed.client.send(
            new UpdateItemCommand({
              TableName,
              Key: change.key,
              UpdateExpression,
              ...expressions.attributes(),
              ReturnConsumedCapacity: 'INDEXES',
            }),
          );
          const bytes = Math.max(...[before, after].map((one) => itemBytes({ id: { S: id }, ...one })));
          expect(changeUnits(table, change, bytes, before), JSON.stringify([before, after, ConsumedCapacity])).to.equal(
            unitsIn(ConsumedCapacity, [before, after]),
          );
        }
      } finally {
        await bed.close();
      }
    }).timeout(60_000);
  });
});
