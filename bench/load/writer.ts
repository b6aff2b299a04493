import { dynamoClient } from '../../engine/aws/clients.ts';
import { batchWriteStore } from '../../engine/aws/write/batch-write-store.ts';
import { CapacityGates } from '../../engine/run/capacity/capacity-gate.ts';
import { writeAll } from '../../engine/run/write/write-all.ts';
import { type Contender, numbers, region } from './contender.ts';
import { hashName, orderItem, rangeName } from './items.ts';

/** This repository's writer, as the commands use it. */
export const contender: Contender = {
  async prepare({ endpoint, table, from, count, concurrency, connections = concurrency }) {
    const requests = numbers(from, count).map((n) => ({ table, put: orderItem(n) }));
    const store = batchWriteStore(dynamoClient({ region, endpoint, maxAttempts: 1, maxSockets: connections }));
    const key = { hash: { name: hashName, type: 'S' }, range: { name: rangeName, type: 'S' } } as const;
    return async () => {
      await writeAll(requests, {
        store,
        tables: [{ name: table, key, indexes: [] }],
        gates: new CapacityGates({ unlimited: true }),
        deadLetters: { write: (letter) => Promise.reject(new Error(`dead letter: ${letter.reason.message}`)) },
        concurrency,
      });
    };
  },
};
