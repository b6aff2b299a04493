import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { dynamoClient } from '../engine/aws/clients.ts';
import { batchWriteStore } from '../engine/aws/write/batch-write-store.ts';
import { keepMemorySteady } from '../engine/cli/steady-memory.ts';
import { CapacityGates } from '../engine/run/capacity/capacity-gate.ts';
import { writeAll } from '../engine/run/write/write-all.ts';
import { region } from './load/contender.ts';
import { hashName, orderItem, rangeName } from './load/items.ts';
import { openServer } from './load/run-process.ts';

export interface MemoryFigures {
  readonly items: number;
  readonly peakMegabytes: number;
  /** What the process had before the first item: Node, the SDK, the compiled sources. */
  readonly idleMegabytes: number;
  readonly seconds: number;
}

const items = 1_000_000;
const megabyte = 1_024 * 1_024;

async function* generated(table: string): AsyncGenerator<{ table: string; put: ReturnType<typeof orderItem> }> {
  for (let n = 0; n < items; n += 1) yield { table, put: orderItem(n) };
}

async function writeMillion(endpoint: string): Promise<MemoryFigures> {
  const table = 'memory';
  const key = { hash: { name: hashName, type: 'S' }, range: { name: rangeName, type: 'S' } } as const;
  const store = batchWriteStore(dynamoClient({ region, endpoint, maxAttempts: 1 }));
  // As the commands do that stream.
  keepMemorySteady();
  const idleMegabytes = process.memoryUsage.rss() / megabyte;
  const start = performance.now();
  const result = await writeAll(generated(table), {
    store,
    tables: [{ name: table, key, indexes: [] }],
    gates: new CapacityGates({ unlimited: true }),
    deadLetters: { write: (letter) => Promise.reject(new Error(`dead letter: ${letter.reason.message}`)) },
  });
  if (result.written !== items) throw new Error(`${result.written} items written, expected ${items}`);
  const seconds = (performance.now() - start) / 1_000;
  return { items, idleMegabytes, peakMegabytes: process.resourceUsage().maxRSS / 1_024, seconds };
}

/** A million generated items in a process of their own, against a server that takes everything at once. */
export async function measureMemory(say: (text: string) => void): Promise<MemoryFigures> {
  say(`memory for ${items.toLocaleString('en')} generated items`);
  const stub = await openServer({ kind: 'stub' });
  try {
    const child = fork(fileURLToPath(import.meta.url), [], { execArgv: ['--import', 'tsx'] });
    return await new Promise<MemoryFigures>((resolve, reject) => {
      child.once('message', (figures) => resolve(figures as MemoryFigures));
      child.once('exit', (code) => reject(new Error(`the memory bench ended with code ${code}`)));
      child.send({ endpoint: stub.endpoint });
    });
  } finally {
    stub.close();
  }
}

export function printMemory({ items: count, peakMegabytes, idleMegabytes, seconds }: MemoryFigures): string {
  return (
    `memory for ${count.toLocaleString('en')} generated items: peak ${peakMegabytes.toFixed(0)} MB, ` +
    `${idleMegabytes.toFixed(0)} MB of it before the first (${seconds.toFixed(0)} s)`
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once('message', async ({ endpoint }: { endpoint: string }) => {
    const figures = await writeMillion(endpoint);
    process.send?.(figures, () => process.exit(0));
  });
}
