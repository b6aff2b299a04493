import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { AttributeValue } from '../../tables/model/attribute-value.ts';
import { type Probe, type ProbeBed, verdict } from './probe.ts';

const putValue = ({ client, table }: ProbeBed, id: string, v: AttributeValue, more: Record<string, AttributeValue> = {}) =>
  client.send(new PutItemCommand({ TableName: table, Item: { id: { S: id }, v, ...more } as never }));

const getValue = async ({ client, table }: ProbeBed, id: string) =>
  (await client.send(new GetItemCommand({ TableName: table, Key: { id: { S: id } } }))).Item?.v;

const numberAs =
  (text: string): Probe['ask'] =>
  async (bed) => {
    const taken = await verdict(putValue(bed, 'number', { N: text }));
    return taken === 'taken' ? String((await getValue(bed, 'number'))?.N) : taken;
  };

/** Five items of one partition, sorted. */
async function fill({ client, sorted }: ProbeBed, id: string): Promise<void> {
  const requests = [1, 2, 3, 4, 5].map((at) => ({ PutRequest: { Item: { id: { S: id }, at: { N: String(at) } } } }));
  await client.send(new BatchWriteItemCommand({ RequestItems: { [sorted]: requests } }));
}

const query = ({ client, sorted }: ProbeBed, id: string, more: object = {}) =>
  client.send(
    new QueryCommand({
      TableName: sorted,
      KeyConditionExpression: 'id = :id',
      ExpressionAttributeValues: { ':id': { S: id } },
      ReturnConsumedCapacity: 'TOTAL',
      ...more,
    }),
  );

const shape = (value: object | undefined): string =>
  Object.entries(value ?? {})
    .filter(([, part]) => part !== undefined)
    .map(([name, part]) => (typeof part === 'object' ? `${name}(${shape(part as object)})` : name))
    .toSorted()
    .join(' ');

export const itemProbes: readonly Probe[] = [
  { name: 'number: 1.0', ask: numberAs('1.0') },
  { name: 'number: 1E3', ask: numberAs('1E3') },
  { name: 'number: -0', ask: numberAs('-0'), toolkit: 'compares numbers by value, and spells them itself in digests' },
  {
    name: 'number: 0.00000000000000000000000000000000000012345',
    ask: numberAs('0.00000000000000000000000000000000000012345'),
    toolkit: 'compares numbers by value, never by their spelling',
  },
  { name: 'number: 38 digits', ask: numberAs('12345678901234567890123456789012345678') },
  { name: 'number: 39 digits', ask: numberAs('123456789012345678901234567890123456789') },
  { name: 'number: 1E125', ask: numberAs('1E125'), toolkit: 'compares numbers by value, never by their spelling' },
  { name: 'number: 1E126', ask: numberAs('1E126') },
  { name: 'an empty text', ask: (bed) => verdict(putValue(bed, 'empty', { S: '' })) },
  { name: 'an empty text as a key', ask: (bed) => verdict(putValue(bed, '', { S: 'x' })) },
  { name: 'an empty set', ask: (bed) => verdict(putValue(bed, 'set', { SS: [] })) },
  { name: 'a set with one member twice', ask: (bed) => verdict(putValue(bed, 'set', { SS: ['a', 'a'] })) },
  { name: 'an item above 400 KB', ask: (bed) => verdict(putValue(bed, 'large', { S: 'x'.repeat(410_000) })) },
  {
    name: 'an index key of the wrong type',
    ask: (bed) => verdict(putValue(bed, 'index', { S: 'x' }, { group: { N: '1' }, rank: { N: '1' } })),
  },
  {
    name: 'an empty text as an index key',
    ask: (bed) => verdict(putValue(bed, 'index', { S: 'x' }, { group: { S: '' }, rank: { N: '1' } })),
  },
  {
    name: 'an item without one of the index keys',
    ask: async (bed) => {
      await putValue(bed, 'sparse', { S: 'x' }, { group: { S: 'sparse' } });
      const { Count } = await bed.client.send(
        new QueryCommand({
          TableName: bed.table,
          IndexName: 'byGroup',
          KeyConditionExpression: '#g = :g',
          ExpressionAttributeNames: { '#g': 'group' },
          ExpressionAttributeValues: { ':g': { S: 'sparse' } },
        }),
      );
      return `${Count} in the index`;
    },
  },
  {
    name: 'batch write: one key twice',
    ask: ({ client, table }) => {
      const request = { PutRequest: { Item: { id: { S: 'twice' } } } };
      return verdict(client.send(new BatchWriteItemCommand({ RequestItems: { [table]: [request, request] } })));
    },
  },
  {
    name: 'batch write: 26 items',
    ask: ({ client, table }) => {
      const requests = Array.from({ length: 26 }, (_, at) => ({ PutRequest: { Item: { id: { S: `many-${at}` } } } }));
      return verdict(client.send(new BatchWriteItemCommand({ RequestItems: { [table]: requests } })));
    },
  },
  {
    name: 'batch write: consumed capacity with indexes',
    ask: async ({ client, table }) => {
      const Item = { id: { S: 'capacity' }, group: { S: 'capacity' }, rank: { N: '1' } };
      const { ConsumedCapacity = [], UnprocessedItems } = await client.send(
        new BatchWriteItemCommand({ RequestItems: { [table]: [{ PutRequest: { Item } }] }, ReturnConsumedCapacity: 'INDEXES' }),
      );
      return `${shape(ConsumedCapacity[0])}: ${ConsumedCapacity[0]?.CapacityUnits} units; unprocessed ${JSON.stringify(UnprocessedItems)}`;
    },
    toolkit: 'reads the sum alone; the split is the same everywhere that counts',
  },
  {
    name: 'batch get: one key twice',
    ask: ({ client, table }) => {
      const Keys = [{ id: { S: 'a' } }, { id: { S: 'a' } }];
      return verdict(client.send(new BatchGetItemCommand({ RequestItems: { [table]: { Keys } } })));
    },
  },
  {
    name: 'batch get: 101 keys',
    ask: ({ client, table }) => {
      const Keys = Array.from({ length: 101 }, (_, at) => ({ id: { S: String(at) } }));
      return verdict(client.send(new BatchGetItemCommand({ RequestItems: { [table]: { Keys } } })));
    },
  },
  {
    name: 'get: nothing there',
    ask: async ({ client, table }) => {
      const answer = await client.send(
        new GetItemCommand({ TableName: table, Key: { id: { S: 'nowhere' } }, ReturnConsumedCapacity: 'TOTAL' }),
      );
      return `${answer.Item === undefined ? 'no item' : 'an item'}, ${answer.ConsumedCapacity?.CapacityUnits} units`;
    },
  },
  {
    name: 'get: an attribute too many in the key',
    ask: ({ client, table }) =>
      verdict(client.send(new GetItemCommand({ TableName: table, Key: { id: { S: 'a' }, at: { N: '1' } } }))),
  },
  {
    name: 'query: nothing there',
    ask: async (bed) => {
      const { Items, Count, LastEvaluatedKey, ConsumedCapacity } = await query(bed, 'nowhere');
      return `Items ${JSON.stringify(Items)}, Count ${Count}, ${LastEvaluatedKey === undefined ? 'at the end' : 'to be continued'}, ${ConsumedCapacity?.CapacityUnits} units`;
    },
    toolkit: 'counts what it is told; only budgets and the columns of `up` show it',
  },
  {
    name: 'query: a Limit that the items just fill',
    ask: async (bed) => {
      await fill(bed, 'limit');
      return (await query(bed, 'limit', { Limit: 5 })).LastEvaluatedKey === undefined ? 'at the end' : 'to be continued';
    },
    toolkit: 'reads on until there is nothing to continue, whatever came before',
  },
  {
    name: 'query: Limit counts before the filter',
    ask: async (bed) => {
      await fill(bed, 'filter');
      const filter = {
        FilterExpression: '#at > :four',
        ExpressionAttributeNames: { '#at': 'at' },
        ExpressionAttributeValues: { ':id': { S: 'filter' }, ':four': { N: '4' } },
      };
      const attribute = { FilterExpression: 'attribute_exists(nothing)' };
      const { Count, ScannedCount } = await query(bed, 'filter', { Limit: 3, ...attribute });
      return `${Count} of ${ScannedCount}; a filter on the key: ${await verdict(query(bed, 'filter', filter))}`;
    },
    toolkit: 'filters by no key attribute',
  },
  {
    name: 'query: descending from a key',
    ask: async (bed) => {
      await fill(bed, 'down');
      const { Items = [] } = await query(bed, 'down', {
        ScanIndexForward: false,
        ExclusiveStartKey: { id: { S: 'down' }, at: { N: '4' } },
      });
      return Items.map(({ at }) => at?.N).join(' ');
    },
  },
  {
    name: 'query: only the count',
    ask: async (bed) => {
      await fill(bed, 'count');
      const { Items, Count } = await query(bed, 'count', { Select: 'COUNT' });
      return `Items ${JSON.stringify(Items)}, Count ${Count}`;
    },
  },
  {
    name: 'query: begins_with on the partition key',
    ask: ({ client, sorted }) =>
      verdict(
        client.send(
          new QueryCommand({
            TableName: sorted,
            KeyConditionExpression: 'begins_with(id, :id)',
            ExpressionAttributeValues: { ':id': { S: 'a' } },
          }),
        ),
      ),
  },
  {
    name: 'query: a consistent read of an index',
    ask: ({ client, table }) =>
      verdict(
        client.send(
          new QueryCommand({
            TableName: table,
            IndexName: 'byGroup',
            ConsistentRead: true,
            KeyConditionExpression: '#g = :g',
            ExpressionAttributeNames: { '#g': 'group' },
            ExpressionAttributeValues: { ':g': { S: 'a' } },
          }),
        ),
      ),
  },
  {
    name: 'query: an index that is not there',
    ask: ({ client, table }) =>
      verdict(
        client.send(
          new QueryCommand({
            TableName: table,
            IndexName: 'nowhere',
            KeyConditionExpression: '#g = :g',
            ExpressionAttributeNames: { '#g': 'group' },
            ExpressionAttributeValues: { ':g': { S: 'a' } },
          }),
        ),
      ),
  },
  {
    name: 'query: items of one index key',
    ask: async (bed) => {
      for (const id of ['tie-b', 'tie-c', 'tie-a'])
        await putValue(bed, id, { S: 'x' }, { group: { S: 'tie' }, rank: { N: '1' } });
      const { Items = [] } = await bed.client.send(
        new QueryCommand({
          TableName: bed.table,
          IndexName: 'byGroup',
          KeyConditionExpression: '#g = :g',
          ExpressionAttributeNames: { '#g': 'group' },
          ExpressionAttributeValues: { ':g': { S: 'tie' } },
        }),
      );
      return Items.map(({ id }) => id?.S).join(' ');
    },
    toolkit: 'depends on no order within one index key: cursors and comparisons go by the item’s own key',
  },
  {
    name: 'scan: four segments',
    ask: async (bed) => {
      await fill(bed, 'segment');
      let count = 0;
      for (let Segment = 0; Segment < 4; Segment += 1) {
        const { Items = [] } = await bed.client.send(new ScanCommand({ TableName: bed.sorted, Segment, TotalSegments: 4 }));
        count += Items.filter(({ id }) => id?.S === 'segment').length;
      }
      return `${count} items, each once`;
    },
  },
  {
    name: 'expression: a value that is not used',
    ask: (bed) => verdict(query(bed, 'x', { ExpressionAttributeValues: { ':id': { S: 'x' }, ':more': { S: 'y' } } })),
  },
  {
    name: 'expression: a reserved word',
    ask: (bed) => verdict(query(bed, 'x', { FilterExpression: 'status = :id' })),
    toolkit: 'writes every name as a placeholder',
  },
  {
    name: 'update: a key attribute',
    ask: ({ client, table }) =>
      verdict(
        client.send(
          new UpdateItemCommand({
            TableName: table,
            Key: { id: { S: 'a' } },
            UpdateExpression: 'SET id = :x',
            ExpressionAttributeValues: { ':x': { S: 'b' } },
          }),
        ),
      ),
  },
  {
    name: 'update: ADD to nothing',
    ask: async (bed) => {
      const Key = { id: { S: 'counter' } };
      await bed.client.send(
        new UpdateItemCommand({
          TableName: bed.table,
          Key,
          UpdateExpression: 'ADD v :one',
          ExpressionAttributeValues: { ':one': { N: '1' } },
        }),
      );
      return String((await getValue(bed, 'counter'))?.N);
    },
  },
  {
    name: 'condition: the item of a refused put (ALL_OLD)',
    ask: async (bed) => {
      await putValue(bed, 'refused', { S: 'x' });
      const request = {
        TableName: bed.table,
        Item: { id: { S: 'refused' } },
        ConditionExpression: 'attribute_not_exists(id)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
      };
      const error = await bed.client.send(new PutItemCommand(request)).catch((found: Error & { Item?: object }) => found);
      return `${(error as Error).name}, ${(error as { Item?: object }).Item === undefined ? 'not sent' : 'sent'}`;
    },
    toolkit: 'does not ask for it: what a refused write met is read',
  },
];
