import { createRequire } from 'node:module';
import { ConditionalCheckFailedException, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { inParallel } from '../load/contender.ts';
import { peerClient } from '../load/peer-client.ts';
import { type BackfillContender, scans, updatesInFlight } from './job.ts';

interface Order {
  readonly PK: string;
  readonly SK: string;
  readonly product_id: string;
  readonly created_at: string;
}
type Scan = { parallelScanAsStream(params: object, options: object): Promise<AsyncIterable<readonly Order[]>> };
type UmzugModule = { Umzug: new (options: object) => { up(): Promise<unknown> }; memoryStorage(): object };

/** A migration of umzug that reads with a parallel scan and writes a conditional UpdateItem per order: what a careful team writes. */
export const contender: BackfillContender = {
  async prepare({ endpoint, table, connections = updatesInFlight }) {
    const require = createRequire(import.meta.url);
    const { Umzug, memoryStorage } = require('umzug') as UmzugModule;
    const { parallelScanAsStream } = require('@shelf/dynamodb-parallel-scan') as Scan;
    const client = peerClient(endpoint, connections);
    const update = async ({ PK, SK, product_id, created_at }: Order): Promise<void> => {
      try {
        await client.send(
          new UpdateItemCommand({
            TableName: table,
            Key: { PK: { S: PK }, SK: { S: SK } },
            UpdateExpression: 'SET GSI1_PK = :pk, GSI1_SK = :sk',
            ConditionExpression:
              'attribute_exists(PK) AND attribute_not_exists(GSI1_PK) AND product_id = :p AND created_at = :sk',
            ExpressionAttributeValues: {
              ':pk': { S: `PRODUCT#${product_id}` },
              ':sk': { S: created_at },
              ':p': { S: product_id },
            },
          }),
        );
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    };
    const up = async (): Promise<void> => {
      const params = { TableName: table, ProjectionExpression: 'PK, SK, product_id, created_at' };
      const options = { concurrency: scans, chunkSize: 1_000, client: DynamoDBDocumentClient.from(client) };
      for await (const orders of await parallelScanAsStream(params, options)) {
        await inParallel(orders.length, connections, (n) => update(orders[n] as Order));
      }
    };
    const umzug = new Umzug({ migrations: [{ name: 'index', up }], storage: memoryStorage(), logger: undefined });
    return async () => {
      await umzug.up();
    };
  },
};
