import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DeleteTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoClient } from '../engine/aws/clients.ts';
import { openDynamo } from '../engine/local/local-engine.ts';
import type { Measured } from './backfill/contender-process.ts';
import { copyOf } from './backfill/copy-table.ts';
import { type Counted, openCountingProxy } from './backfill/counting-proxy.ts';
import type { BackfillJob } from './backfill/job.ts';
import { countIndexed, createOrders, fillOrders } from './backfill/table.ts';
import { installPeers } from './install-peers.ts';
import { region } from './load/contender.ts';
import { median, table } from './load/report.ts';

/** What npm run bench:backfill measures; `--help` lists the options. */
const { values: options } = parseArgs({
  options: {
    items: { type: 'string', default: '20000,100000' },
    rounds: { type: 'string', default: '1' },
    contenders: { type: 'string', default: 'tablewright,umzug,onetable,copy-table' },
    /** Requests and units grow with the items, so they are counted on a smaller table, off the clock. */
    counted: { type: 'string', default: '5000' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const contenders = options.contenders.split(',');
const rounds = Number(options.rounds);
const countedItems = Number(options.counted);
const say = (text: string): void => void process.stderr.write(`${text}\n`);

interface Row extends Measured {
  readonly contender: string;
  readonly items: number;
  readonly itemsPerSecond: number;
  readonly found: number;
}

function run(module: string, job: BackfillJob): Promise<Measured> {
  const script = fileURLToPath(new URL('./backfill/contender-process.ts', import.meta.url));
  const child = fork(script, { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Measured));
    child.once('exit', (code) => reject(new Error(`${module} ended with code ${code}`)));
    child.send({ module, job });
  });
}

/** A new engine for each measurement: a store that has seen the work of another is not the same store. */
async function measure<T>(
  contender: string,
  count: number,
  work: (engine: DynamoDBClient, job: BackfillJob) => Promise<T>,
): Promise<T> {
  const engine = await openDynamo({ data: { kind: 'memory' } });
  const client = dynamoClient({ region, endpoint: engine.endpoint });
  const name = `orders-${contender}`;
  try {
    await createOrders(client, name);
    await fillOrders(client, name, count);
    const result = await work(client, { endpoint: engine.endpoint, table: name, count });
    await client.send(new DeleteTableCommand({ TableName: name }));
    return result;
  } finally {
    client.destroy();
    await engine.release();
  }
}

const speedOf = (contender: string, count: number): Promise<Row> =>
  measure(contender, count, async (client, job) => {
    const measured = await run(`./${contender}.ts`, job);
    const found = await countIndexed(client, contender === 'copy-table' ? copyOf(job.table) : job.table);
    return { ...measured, contender, items: count, itemsPerSecond: count / measured.seconds, found };
  });

const costOf = (contender: string): Promise<Counted> =>
  measure(contender, countedItems, async (_, job) => {
    const proxy = await openCountingProxy(job.endpoint);
    try {
      await run(`./${contender}.ts`, { ...job, endpoint: proxy.endpoint });
      return proxy.counted();
    } finally {
      proxy.close();
    }
  });

if (options.help) {
  say(
    `npm run bench:backfill -- [--items ${options.items}] [--rounds ${options.rounds}] [--contenders ${options.contenders}] [--counted ${options.counted}] [--json]`,
  );
} else {
  installPeers();
  const costs = new Map<string, Counted>();
  for (const contender of contenders) {
    say(`requests and units of ${contender}, ${countedItems} items`);
    costs.set(contender, await costOf(contender));
  }
  const rows: Row[] = [];
  for (const count of options.items.split(',').map(Number)) {
    const found: Row[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      for (const contender of contenders) {
        say(`${contender}, ${count} items, round ${round} of ${rounds}`);
        found.push(await speedOf(contender, count));
      }
    }
    for (const contender of contenders) {
      const own = found.filter((row) => row.contender === contender);
      const [first] = own as [Row];
      rows.push({
        ...first,
        itemsPerSecond: median(own.map((row) => row.itemsPerSecond)),
        seconds: median(own.map((row) => row.seconds)),
      });
    }
  }
  if (options.json) process.stdout.write(`${JSON.stringify({ rows, costs: Object.fromEntries(costs) }, null, 2)}\n`);
  else process.stdout.write(`${print(rows, costs)}\n`);
}

function print(rows: readonly Row[], costs: ReadonlyMap<string, Counted>): string {
  const header = [
    'contender',
    'items',
    'items/s',
    'seconds',
    'found',
    'CPU µs/item',
    'peak MB',
    'requests/1,000',
    'RCU/1,000',
    'WCU/1,000',
  ];
  const per = (value = 0): string => ((value * 1_000) / countedItems).toFixed(0);
  const lines = rows.map((row) => {
    const cost = costs.get(row.contender);
    return [
      row.contender,
      row.items.toLocaleString('en'),
      Math.round(row.itemsPerSecond).toLocaleString('en'),
      row.seconds.toFixed(1),
      row.found.toLocaleString('en'),
      row.cpuMicrosPerItem.toFixed(0),
      row.peakMegabytes.toFixed(0),
      per(cost?.requests),
      per(cost?.readUnits),
      per(cost?.writeUnits),
    ];
  });
  return table(header, lines);
}
