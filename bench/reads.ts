import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import pLimit from 'p-limit';
import { dynamoClient } from '../engine/aws/clients.ts';
import { dynamoStore } from '../engine/aws/store/dynamo-store.ts';
import { openDynamo } from '../engine/local/local-engine.ts';
import { sha256 } from '../engine/local/sha256.ts';
import { unlimitedGates } from '../engine/run/capacity/capacity-gate.ts';
import { cutoverPatterns } from '../engine/run/cutover/status.ts';
import type { ReadEnvironment } from '../engine/run/read/read-pattern.ts';
import { ensureTable } from '../engine/run/tables/ensure-tables.ts';
import type { Item } from '../tables/model/attribute-value.ts';
import { parseStackConfig, physicalName } from '../tables/model/stack/stack-config.ts';
import { tables as catalogue } from '../tests/support/project.ts';
import { table } from './load/report.ts';
import { drawChart } from './reads/chart.ts';
import { type Figure, measure, type Rounds } from './reads/measure.ts';
import { asked, world } from './reads/world.ts';

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000' },
    chart: { type: 'string', default: 'docs/images/reads.svg' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const help = `npm run bench:reads -- [options]
  --sizes LIST  records in each table (${options.sizes})
  --chart FILE  where the chart goes (${options.chart})
  --json        figures as JSON`;

const sizes = options.sizes.split(',').map(Number);
const config = parseStackConfig('bench', {}, catalogue);
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const batchItems = 25;
const batchesInFlight = 8;

/** Fewer rounds where a single scan takes seconds. */
function roundsFor(size: number): Rounds {
  return { scan: size > 20_000 ? 3 : 7, query: 25 };
}

async function grow(
  client: DynamoDBClient,
  name: string,
  make: (number: number) => Item,
  from: number,
  to: number,
): Promise<void> {
  const limit = pLimit(batchesInFlight);
  const writes: Promise<unknown>[] = [];
  for (let begin = from; begin < to; begin += batchItems) {
    const length = Math.min(batchItems, to - begin);
    const requests = Array.from({ length }, (_, at) => ({ PutRequest: { Item: make(begin + at) } }));
    writes.push(limit(() => client.send(new BatchWriteItemCommand({ RequestItems: { [name]: requests } }))));
    if (writes.length >= 200) await Promise.all(writes.splice(0));
  }
  await Promise.all(writes);
}

async function run(client: DynamoDBClient): Promise<readonly Figure[]> {
  const store = dynamoStore(client);
  const environment: ReadEnvironment = {
    store,
    tables: world.map((entry) => entry.table),
    names: config,
    sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
    random: Math.random,
    digest: sha256,
    gates: unlimitedGates(),
    writeGates: unlimitedGates(),
  };
  for (const entry of world) await ensureTable({ store, config, sleep: environment.sleep }, entry.table);
  const figures: Figure[] = [];
  let before = 0;
  for (const size of sizes) {
    say(`loading ${size.toLocaleString('en')} records into each of ${world.length} tables`);
    for (const entry of world) await grow(client, physicalName(entry.table, config), entry.make, before, size);
    before = size;
    for (const pattern of cutoverPatterns(environment.tables)) {
      figures.push(...(await measure(environment, pattern, asked[pattern.name] ?? {}, size, roundsFor(size))));
    }
    say(`measured ${cutoverPatterns(environment.tables).length} patterns at ${size.toLocaleString('en')}`);
  }
  return figures;
}

function describe(figures: readonly Figure[]): string {
  const patterns = [...new Set(figures.map(({ pattern }) => pattern))];
  const cell = (pattern: string, size: number, way: string, show: (figure: Figure) => string) => {
    const found = figures.find((figure) => figure.pattern === pattern && figure.size === size && figure.way === way);
    return found === undefined ? '' : show(found);
  };
  const lines = patterns.flatMap((pattern) =>
    (['scan', 'query'] as const).map((way) => [
      pattern,
      way,
      ...sizes.map((size) => cell(pattern, size, way, ({ units }) => units.toFixed(1))),
      ...sizes.map((size) => cell(pattern, size, way, ({ latencyMs }) => latencyMs.toFixed(1))),
    ]),
  );
  const shown = sizes.map((size) => size.toLocaleString('en'));
  return table(['pattern', 'way', ...shown.map((size) => `units ${size}`), ...shown.map((size) => `ms ${size}`)], lines);
}

if (options.help) say(help);
else {
  const service = await openDynamo({ data: { kind: 'memory' } });
  const client = dynamoClient({ region: config.region, endpoint: service.endpoint });
  try {
    const figures = await run(client);
    await mkdir(dirname(options.chart), { recursive: true });
    await writeFile(options.chart, drawChart(figures));
    process.stdout.write(`${options.json ? JSON.stringify(figures) : describe(figures)}\n`);
    say(`chart: ${options.chart}`);
  } finally {
    client.destroy();
    await service.release();
  }
}
