import { dynamoClient } from '../engine/aws/clients.ts';
import { batchWriteStore } from '../engine/aws/write/batch-write-store.ts';
import { keepMemorySteady } from '../engine/cli/steady-memory.ts';
import { CapacityGates } from '../engine/run/capacity/capacity-gate.ts';
import { writeAll } from '../engine/run/write/write-all.ts';
import { region } from './load/contender.ts';
import { hashName, orderItem, rangeName } from './load/items.ts';
import type { MemoryFigures } from './memory.ts';

const megabyte = 1_024 * 1_024;

async function* generated(table: string, items: number): AsyncGenerator<{ table: string; put: ReturnType<typeof orderItem> }> {
  for (let n = 0; n < items; n += 1) yield { table, put: orderItem(n) };
}

export async function writeGenerated(endpoint: string, items: number): Promise<MemoryFigures> {
  const table = 'memory';
  const key = { hash: { name: hashName, type: 'S' }, range: { name: rangeName, type: 'S' } } as const;
  const store = batchWriteStore(dynamoClient({ region, endpoint, maxAttempts: 1 }));
  // As `seed --volume` does.
  keepMemorySteady();
  const idleMegabytes = process.memoryUsage.rss() / megabyte;
  const start = performance.now();
  const result = await writeAll(generated(table, items), {
    store,
    tables: [{ name: table, key, indexes: [] }],
    gates: new CapacityGates({ unlimited: true }),
    deadLetters: { write: (letter) => Promise.reject(new Error(`dead letter: ${letter.reason.message}`)) },
  });
  if (result.written !== items) throw new Error(`${result.written} items written, expected ${items}`);
  const seconds = (performance.now() - start) / 1_000;
  return { items, idleMegabytes, peakMegabytes: process.resourceUsage().maxRSS / 1_024, seconds };
}
