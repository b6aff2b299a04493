import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { dynamoClient } from '../../engine/aws/clients.ts';
import { dynamoStore } from '../../engine/aws/store/dynamo-store.ts';
import { pageStore } from '../../engine/aws/transfer/page-store.ts';
import { batchWriteStore } from '../../engine/aws/write/batch-write-store.ts';
import { sleep } from '../../engine/cli/read-environment.ts';
import { directoryBlobStore } from '../../engine/local/directory-blob-store.ts';
import { gzipCodec } from '../../engine/local/gzip-codec.ts';
import { localWriteSockets } from '../../engine/local/local-engine.ts';
import { CapacityGates } from '../../engine/run/capacity/capacity-gate.ts';
import { systemClock } from '../../engine/run/capacity/clock.ts';
import { exportTable } from '../../engine/run/transfer/export-table.ts';
import { importExport } from '../../engine/run/transfer/import-export.ts';
import { openExport } from '../../engine/run/transfer/open-export.ts';
import { writeAll } from '../../engine/run/write/write-all.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../tables/model/canonical.ts';
import { barePost } from '../load/bare-post.ts';
import { region } from '../load/contender.ts';
import { hashName, orderItem, rangeName } from '../load/items.ts';
import { contender as raw } from '../load/raw.ts';
import { ledgerNames, type Measured, type Step, segments } from './step.ts';

const key = { hash: { name: hashName, type: 'S' }, range: { name: rangeName, type: 'S' } } as const;
const gates = () => new CapacityGates({ unlimited: true });
const deadLetters = {
  write: (letter: { readonly reason: { readonly message: string } }) => Promise.reject(new Error(letter.reason.message)),
};
/** Raw bodies are prepared before the clock starts; more than this at once would not fit into memory. */
const rawPart = 50_000;

interface ScanAnswer {
  readonly Items: readonly unknown[];
  readonly LastEvaluatedKey?: unknown;
}

type Work = (step: Step) => Promise<{ readonly items: number; readonly seconds?: number; readonly digest?: string }>;

const works: Readonly<Record<Step['kind'], Work>> = {
  'raw-write': async ({ endpoint, table, count }) => {
    let seconds = 0;
    for (let from = 0; from < count; from += rawPart) {
      const load = await raw.prepare({
        endpoint,
        table,
        from,
        count: Math.min(rawPart, count - from),
        concurrency: 8,
        connections: localWriteSockets,
      });
      const start = performance.now();
      await load();
      seconds += (performance.now() - start) / 1_000;
    }
    return { items: count, seconds };
  },
  writer: async ({ endpoint, table, count }) => {
    const store = batchWriteStore(dynamoClient({ region, endpoint, maxAttempts: 1, maxSockets: localWriteSockets }));
    const requests = (function* () {
      for (let n = 0; n < count; n += 1) yield { table, put: orderItem(n) };
    })();
    const result = await writeAll(requests, { store, tables: [{ name: table, key, indexes: [] }], gates: gates(), deadLetters });
    return { items: result.written };
  },
  'raw-scan': async ({ endpoint, table }) => ({ items: await scanAll(endpoint, table, () => undefined) }),
  export: async ({ endpoint, table, directory }) => {
    const result = await exportTable(
      {
        store: pageStore(dynamoClient({ region, endpoint, maxAttempts: 1 })),
        target: directoryBlobStore(directory),
        codec: gzipCodec,
        gates: gates(),
        clock: systemClock,
        nowMs: Date.now,
        randomId: () => randomBytes(4).toString('hex'),
        random: Math.random,
        sleep,
      },
      {
        tableName: table,
        tableArn: `arn:aws:dynamodb:${region}:000000000000:table/${table}`,
        segments,
        consistent: false,
        options: '{}',
        remarks: {},
      },
    );
    return { items: result.items };
  },
  import: async ({ endpoint, table, directory }) => {
    const client = dynamoClient({ region, endpoint, maxAttempts: 1, maxSockets: localWriteSockets });
    const [id = ''] = await readdir(join(directory, 'AWSDynamoDB'));
    const source = directoryBlobStore(join(directory, 'AWSDynamoDB', id));
    const opened = await openExport({ source, parent: undefined, codec: gzipCodec });
    const result = await importExport(
      {
        writes: batchWriteStore(client),
        store: dynamoStore(client),
        names: ledgerNames,
        codec: gzipCodec,
        gates: gates(),
        readGates: gates(),
        deadLetters,
        clock: systemClock,
        nowMs: Date.now,
        sleep,
        random: Math.random,
      },
      opened,
      { table: { name: table, key, indexes: [] }, mode: { kind: 'overwrite' }, options: '{}', again: true, verify: 'none' },
    );
    return { items: result.written };
  },
  digest: async ({ endpoint, table }) => {
    // Hashes of single items are added up, so that the order in which they come does not matter.
    let sum = 0n;
    const items = await scanAll(endpoint, table, (item) => {
      sum += BigInt(
        `0x${createHash('sha256')
          .update(canonicalItem(item as Item))
          .digest('hex')}`,
      );
    });
    return { items, digest: (sum % 2n ** 256n).toString(16) };
  },
};

/** The limit of a scan: no SDK, and nothing is done with an answer but to look for where to go on. */
async function scanAll(endpoint: string, table: string, each: (item: unknown) => void): Promise<number> {
  const post = barePost(endpoint, 'Scan', segments);
  const scanSegment = async (segment: number): Promise<number> => {
    let found = 0;
    let from: unknown;
    do {
      const request = { TableName: table, Segment: segment, TotalSegments: segments, ExclusiveStartKey: from };
      const parts: Buffer[] = [];
      await post(Buffer.from(JSON.stringify(request)), (bytes) => parts.push(bytes));
      const { Items, LastEvaluatedKey } = JSON.parse(Buffer.concat(parts).toString()) as ScanAnswer;
      for (const item of Items) each(item);
      found += Items.length;
      from = LastEvaluatedKey;
    } while (from !== undefined);
    return found;
  };
  const counts = await Promise.all(Array.from({ length: segments }, (_, segment) => scanSegment(segment)));
  return counts.reduce((all, one) => all + one, 0);
}

// Ends with its parent, whatever that ended of.
process.once('disconnect', () => process.exit(1));
process.once('message', async (step: Step) => {
  const megabyte = 1_024;
  const idleMegabytes = process.memoryUsage.rss() / megabyte / megabyte;
  const cpu = process.cpuUsage();
  const start = performance.now();
  const { items, seconds: own, digest } = await works[step.kind](step);
  const seconds = own ?? (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const measured: Measured = {
    items,
    seconds,
    idleMegabytes,
    peakMegabytes: process.resourceUsage().maxRSS / megabyte,
    cpuMicrosPerItem: (user + system) / items,
    ...(digest === undefined ? {} : { digest }),
  };
  process.send?.(measured, () => process.exit(0));
});
