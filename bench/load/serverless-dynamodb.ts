import { createRequire } from 'node:module';
import { BatchWriteItemCommand, type BatchWriteItemCommandInput } from '@aws-sdk/client-dynamodb';
import { type Contender, numbers } from './contender.ts';
import { orderItem } from './items.ts';
import { peerClient } from './peer-client.ts';

type WriteSeeds = (
  write: (input: BatchWriteItemCommandInput) => Promise<unknown>,
  table: string,
  items: object[],
) => Promise<void>;

/** Its seeder, in the form for raw items. It sends everything at once and does not look at UnprocessedItems. */
export const contender: Contender = {
  async prepare({ endpoint, table, from, count }) {
    const { writeSeeds } = createRequire(import.meta.url)('serverless-dynamodb/dist/seeder.js') as { writeSeeds: WriteSeeds };
    const client = peerClient(endpoint);
    const items = numbers(from, count).map(orderItem);
    return () => writeSeeds((input) => client.send(new BatchWriteItemCommand(input)), table, items);
  },
};
