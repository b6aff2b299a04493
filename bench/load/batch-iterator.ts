import { createRequire } from 'node:module';
import { type Contender, credentials, numbers, region } from './contender.ts';
import { orderItem } from './items.ts';

type Writes = Iterable<[string, object]>;
type Peer = { BatchWrite: new (client: object, writes: Writes) => AsyncIterable<unknown> };
type SdkTwo = new (options: object) => object;

/** Its BatchWrite on SDK v2: one batch at a time, unprocessed requests again with a back-off of the table. */
export const contender: Contender = {
  async prepare({ endpoint, table, from, count }) {
    process.env.AWS_SDK_JS_SUPPRESS_MAINTENANCE_MODE_MESSAGE = '1';
    const require = createRequire(import.meta.url);
    const { BatchWrite } = require('@aws/dynamodb-batch-iterator') as Peer;
    const DynamoDb = require('aws-sdk/clients/dynamodb') as SdkTwo;
    const client = new DynamoDb({ endpoint, region, ...credentials });
    const writes = numbers(from, count).map((n): [string, object] => [table, { PutRequest: { Item: orderItem(n) } }]);
    return async () => {
      for await (const written of new BatchWrite(client, writes)) void written;
    };
  },
};
