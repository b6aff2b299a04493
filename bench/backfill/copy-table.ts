import { createRequire } from 'node:module';
import { credentials, region } from '../load/contender.ts';
import { peerClient } from '../load/peer-client.ts';
import type { BackfillContender } from './job.ts';
import { createOrders } from './table.ts';

type Copy = { copy(options: object, done: (error: Error | null) => void): void };

export const copyOf = (table: string): string => `${table}-copy`;

/** Copies every order to a second table with the keys added. Whoever writes meanwhile is overwritten there, or missed. */
export const contender: BackfillContender = {
  async prepare({ endpoint, table }) {
    process.env.AWS_SDK_JS_SUPPRESS_MAINTENANCE_MODE_MESSAGE = '1';
    const { copy } = createRequire(import.meta.url)('copy-dynamodb-table') as Copy;
    await createOrders(peerClient(endpoint), copyOf(table));
    const config = { ...credentials, region, endpoint };
    const transform = (item: Record<string, string>) => ({
      ...item,
      GSI1_PK: `PRODUCT#${item.product_id}`,
      GSI1_SK: item.created_at,
    });
    return () =>
      new Promise((resolve, reject) => {
        const options = { config, source: { tableName: table }, destination: { tableName: copyOf(table) }, transform };
        copy(options, (error) => (error === null ? resolve() : reject(error)));
      });
  },
};
