import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  GetItemCommand,
  QueryCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { findLacks } from '../../engine/aws/store/find-features.ts';
import { type Probe, verdict } from './probe.ts';

const id = { AttributeName: 'id', AttributeType: 'S' } as const;
const hash = { AttributeName: 'id', KeyType: 'HASH' } as const;
const other = 'conformance-other';

/** A table that is gone afterwards. */
async function withTable<T>(client: Parameters<Probe['ask']>[0]['client'], more: object, work: () => Promise<T>): Promise<T> {
  const plain = { TableName: other, BillingMode: 'PAY_PER_REQUEST' as const, KeySchema: [hash], AttributeDefinitions: [id] };
  await client.send(new CreateTableCommand({ ...plain, ...more }));
  const status = async () => (await client.send(new DescribeTableCommand({ TableName: other }))).Table?.TableStatus;
  while ((await status()) !== 'ACTIVE') await sleep(20);
  try {
    return await work();
  } finally {
    await client.send(new DeleteTableCommand({ TableName: other }));
    while ((await verdict(status())) !== 'ResourceNotFoundException') await sleep(20);
  }
}

const index = (name: string) => ({
  Create: {
    IndexName: name,
    KeySchema: [{ AttributeName: name, KeyType: 'HASH' as const }],
    Projection: { ProjectionType: 'ALL' as const },
  },
});
const text = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' as const });

/** How long an item whose TTL has passed is waited for. AWS takes days; an engine that deletes does it at once. */
const ttlPatienceMs = 15_000;

export const tableProbes: readonly Probe[] = [
  {
    name: 'calls that are not offered',
    ask: async ({ client, table }) => [...(await findLacks(client, { table }))].join(', ') || 'none',
    toolkit: '`up` and `doctor` list them as not offered; without PartiQL or transactions it refuses the server',
  },
  {
    name: 'encryption of a table made with it',
    ask: async ({ client, table }) => {
      const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
      return Table?.SSEDescription === undefined ? 'not shown' : `${Table.SSEDescription.SSEType} ${Table.SSEDescription.Status}`;
    },
    toolkit: 'takes a server of which no table shows any for one without encryption',
  },
  {
    name: 'a table that is there already',
    ask: ({ client, sorted }) =>
      verdict(
        client.send(
          new CreateTableCommand({
            TableName: sorted,
            BillingMode: 'PAY_PER_REQUEST',
            KeySchema: [hash],
            AttributeDefinitions: [id],
          }),
        ),
      ),
  },
  {
    name: 'an attribute that no key uses',
    ask: ({ client }) =>
      verdict(
        client.send(
          new CreateTableCommand({
            TableName: other,
            BillingMode: 'PAY_PER_REQUEST',
            KeySchema: [hash],
            AttributeDefinitions: [id, text('more')],
          }),
        ),
      ),
  },
  {
    name: 'a table that is not there',
    ask: ({ client }) => verdict(client.send(new DescribeTableCommand({ TableName: 'conformance-nowhere' }))),
  },
  {
    name: 'the status of a table just made',
    ask: async ({ client }) => {
      const { TableDescription } = await client.send(
        new CreateTableCommand({
          TableName: other,
          BillingMode: 'PAY_PER_REQUEST',
          KeySchema: [hash],
          AttributeDefinitions: [id],
        }),
      );
      await client.send(new DeleteTableCommand({ TableName: other }));
      while ((await verdict(client.send(new DescribeTableCommand({ TableName: other })))) !== 'ResourceNotFoundException')
        await sleep(20);
      return TableDescription?.TableStatus ?? 'none';
    },
    toolkit: 'waits until it is ACTIVE in any case',
  },
  {
    name: 'two new indexes at once',
    ask: ({ client }) =>
      withTable(client, {}, () =>
        verdict(
          client.send(
            new UpdateTableCommand({
              TableName: other,
              AttributeDefinitions: [id, text('one'), text('two')],
              GlobalSecondaryIndexUpdates: [index('one'), index('two')],
            }),
          ),
        ),
      ),
    toolkit: 'adds one at a time and waits, as AWS wants it',
  },
  {
    name: 'an index added to a table',
    ask: ({ client }) =>
      withTable(client, {}, async () => {
        await client.send(
          new UpdateTableCommand({
            TableName: other,
            AttributeDefinitions: [id, text('one')],
            GlobalSecondaryIndexUpdates: [index('one')],
          }),
        );
        for (;;) {
          const { Table } = await client.send(new DescribeTableCommand({ TableName: other }));
          const [found] = Table?.GlobalSecondaryIndexes ?? [];
          if (found?.IndexStatus === 'ACTIVE') return `${found.IndexName} ${found.IndexStatus}`;
          await sleep(20);
        }
      }),
  },
  {
    name: 'an index key of two attributes',
    ask: async ({ client }) => {
      const KeySchema = [text('one'), text('two')].map(({ AttributeName }) => ({ AttributeName, KeyType: 'HASH' as const }));
      const more = {
        AttributeDefinitions: [id, text('one'), text('two')],
        GlobalSecondaryIndexes: [{ IndexName: 'both', KeySchema, Projection: { ProjectionType: 'ALL' } }],
      };
      const query = (KeyConditionExpression: string, values: readonly string[]) =>
        verdict(
          client.send(
            new QueryCommand({
              TableName: other,
              IndexName: 'both',
              KeyConditionExpression,
              ExpressionAttributeValues: Object.fromEntries(values.map((name) => [name, { S: 'x' }])),
            }),
          ),
        );
      try {
        return await withTable(
          client,
          more,
          async () =>
            `both: ${await query('one = :a AND two = :b', [':a', ':b'])}, one of them: ${await query('one = :a', [':a'])}`,
        );
      } catch (error) {
        return (error as Error).name;
      }
    },
    toolkit: 'takes DynamoDB Local for a catalogue that has one, and refuses the embedded engine',
  },
  {
    name: 'TTL: switched on twice',
    ask: ({ client, expiring }) =>
      verdict(
        client.send(
          new UpdateTimeToLiveCommand({ TableName: expiring, TimeToLiveSpecification: { Enabled: true, AttributeName: 'ttl' } }),
        ),
      ),
    toolkit: 'asks first whether it is on',
  },
  {
    name: 'TTL: its description',
    ask: async ({ client, expiring }) => {
      const asked = client.send(new DescribeTimeToLiveCommand({ TableName: expiring }));
      return asked.then(
        ({ TimeToLiveDescription: found }) => `${found?.TimeToLiveStatus} on ${found?.AttributeName}`,
        (error: Error) => error.name,
      );
    },
    toolkit: 'takes a server that cannot switch it on for one without TTL',
  },
  {
    name: 'TTL: an item whose time has passed',
    ask: async ({ client, expiring }) => {
      const until = performance.now() + ttlPatienceMs;
      while (performance.now() < until) {
        const { Item } = await client.send(new GetItemCommand({ TableName: expiring, Key: { id: { S: 'old' } } }));
        if (Item === undefined) return 'deleted';
        await sleep(250);
      }
      return 'stays';
    },
    toolkit: 'counts on neither: migrations skip expired items, readers may still see them, fixtures carry times from now',
  },
];
