import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  PutItemCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { type ProbeBed, verdict } from './probe.ts';
import type { Server } from './servers.ts';

export const probeTables = { table: 'conformance-probe', sorted: 'conformance-sorted', expiring: 'conformance-expiring' };

const hash = { AttributeName: 'id', KeyType: 'HASH' } as const;
const id = { AttributeName: 'id', AttributeType: 'S' } as const;

const definitions: readonly CreateTableCommandInput[] = [
  {
    TableName: probeTables.table,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [hash],
    AttributeDefinitions: [id, { AttributeName: 'group', AttributeType: 'S' }, { AttributeName: 'rank', AttributeType: 'N' }],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'byGroup',
        KeySchema: [
          { AttributeName: 'group', KeyType: 'HASH' },
          { AttributeName: 'rank', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
    SSESpecification: { Enabled: true, SSEType: 'KMS' },
    Tags: [{ Key: 'Service', Value: 'probe' }],
  },
  {
    TableName: probeTables.sorted,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [hash, { AttributeName: 'at', KeyType: 'RANGE' }],
    AttributeDefinitions: [id, { AttributeName: 'at', AttributeType: 'N' }],
  },
  { TableName: probeTables.expiring, BillingMode: 'PAY_PER_REQUEST', KeySchema: [hash], AttributeDefinitions: [id] },
];

export async function openBed(server: Server): Promise<ProbeBed & { close(): void }> {
  const client = server.client();
  for (const definition of definitions) {
    await client.send(new CreateTableCommand(definition));
    const status = async () => (await client.send(new DescribeTableCommand(definition))).Table?.TableStatus;
    while ((await status()) !== 'ACTIVE') await sleep(20);
  }
  const TimeToLiveSpecification = { Enabled: true, AttributeName: 'ttl' };
  // A server without TTL answers the questions about it in its own way.
  await verdict(client.send(new UpdateTimeToLiveCommand({ TableName: probeTables.expiring, TimeToLiveSpecification })));
  const old = { id: { S: 'old' }, ttl: { N: String(Math.floor(Date.now() / 1_000) - 3_600) } };
  await client.send(new PutItemCommand({ TableName: probeTables.expiring, Item: old }));
  return { client, ...probeTables, close: () => client.destroy() };
}
