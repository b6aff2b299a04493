import { type DynamoDBClient, dynamoClient } from '../../engine/aws/clients.ts';
import { batchWriteStore } from '../../engine/aws/write/batch-write-store.ts';
import type { BatchStore } from '../../engine/core/write/batch-outcome.ts';
import { CapacityGates } from '../../engine/run/capacity/capacity-gate.ts';
import { writeAll } from '../../engine/run/write/write-all.ts';
import { type Contender, numbers, region } from './contender.ts';
import { hashName, orderItem, rangeName } from './items.ts';

/** This repository's writer, as the commands use it, over a store of this kind; its client stays for all loads of a place, as one of a command stays. */
export function writerOver(storeOf: (client: DynamoDBClient) => BatchStore, isThreaded = false): Contender {
  const clients = new Map<string, DynamoDBClient>();
  return {
    async prepare({ endpoint, table, from, count, concurrency: given, connections, unitsPerSecond, threads: many = 1 }) {
      const requests = numbers(from, count).map((n) => ({ table, put: orderItem(n) }));
      const threads = isThreaded ? many : 1;
      const concurrency = given * threads;
      const maxSockets = connections ?? concurrency;
      const place = `${endpoint} ${maxSockets}`;
      // As the commands open one for a server that they know nothing of.
      const choosesConnections = connections === undefined && !isThreaded;
      const settings = { region, endpoint, maxAttempts: 1, maxSockets, threads, choosesConnections };
      const client = clients.get(place) ?? dynamoClient(settings);
      clients.set(place, client);
      const store = storeOf(client);
      const key = { hash: { name: hashName, type: 'S' }, range: { name: rangeName, type: 'S' } } as const;
      return async () => {
        await writeAll(requests, {
          store,
          tables: [{ name: table, key, indexes: [] }],
          gates: new CapacityGates(unitsPerSecond === undefined ? { unlimited: true } : { unitsPerSecond }),
          deadLetters: { write: (letter) => Promise.reject(new Error(`dead letter: ${letter.reason.message}`)) },
          concurrency,
        });
      };
    },
  };
}

export const contender: Contender = writerOver((client) => batchWriteStore(client));
