import { parseArgs } from 'node:util';
import {
  type AttributeValue,
  CreateTableCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { dynamoClient } from '../engine/aws/clients.ts';
import { openDynamo } from '../engine/local/local-engine.ts';
import { measureBudget, printBudget } from './budget.ts';
import { installPeers } from './install-peers.ts';
import { type Job, region } from './load/contender.ts';
import { hashName, rangeName } from './load/items.ts';
import { fold, type Row, rowCells, rowHeader, table } from './load/report.ts';
import { openServer, runContender } from './load/run-process.ts';
import { measureMemory, printMemory } from './memory.ts';

/** What npm run bench:load measures; `--help` lists the options. */
const { values: options } = parseArgs({
  options: {
    items: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '3' },
    concurrency: { type: 'string', default: '8' },
    parts: { type: 'string', default: 'load,stub,budget,memory' },
    contenders: { type: 'string', default: 'raw,writer,onetable,electrodb,batch-iterator,serverless-dynamodb' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const help = `npm run bench:load -- [options]
  --items N         items per load (${options.items})
  --rounds N        loads per contender and place; medians are shown (${options.rounds})
  --concurrency N   batches in flight, where a contender has a choice (${options.concurrency})
  --parts LIST      of load,stub,budget,memory
  --contenders LIST of ${options.contenders}
  --json            figures as JSON`;

const count = Number(options.items);
const rounds = Number(options.rounds);
const concurrency = Number(options.concurrency);
const parts = new Set(options.parts.split(','));
const contenders = options.contenders.split(',');
const warmUpItems = 10_000;
const say = (text: string): void => void process.stderr.write(`${text}\n`);

interface Place {
  readonly name: string;
  readonly endpoint: string;
  /** Where the items can be counted; undefined for the stub. */
  readonly engine: DynamoDBClient | undefined;
}

async function createTable(client: DynamoDBClient, name: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: hashName, KeyType: 'HASH' },
        { AttributeName: rangeName, KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [hashName, rangeName].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    }),
  );
}

async function countItems(client: DynamoDBClient, name: string): Promise<number> {
  let found = 0;
  let from: Record<string, AttributeValue> | undefined;
  do {
    const page = await client.send(
      new ScanCommand({ TableName: name, Select: 'COUNT', ConsistentRead: true, ExclusiveStartKey: from }),
    );
    found += page.Count ?? 0;
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return found;
}

async function load(place: Place, contender: string): Promise<Row> {
  const name = `load-${contender}`;
  if (place.engine !== undefined) await createTable(place.engine, name);
  const job: Job = { endpoint: place.endpoint, table: name, from: 0, count, concurrency };
  const warmUp = { ...job, from: count, count: warmUpItems };
  const measured = await runContender({ module: `./${contender}.ts`, warmUp, job });
  const found = place.engine === undefined ? undefined : await countItems(place.engine, name);
  await place.engine?.send(new DeleteTableCommand({ TableName: name }));
  const { seconds, ...rest } = measured;
  const lost = found === undefined ? undefined : count + warmUpItems - found;
  return { place: place.name, contender, itemsPerSecond: count / seconds, ...rest, lost };
}

/** Every contender at every place, round by round, so that a slow minute of the machine falls on all of them. */
async function loadAll(places: readonly Place[]): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const place of places) {
      for (const contender of contenders) {
        say(`round ${round} of ${rounds}: ${place.name}, ${contender}`);
        rows.push(await load(place, contender));
      }
    }
  }
  const cases = places.flatMap(({ name }) => contenders.map((contender) => ({ name, contender })));
  return cases.map(({ name, contender }) => fold(rows.filter((row) => row.place === name && row.contender === contender)));
}

async function measureLoads(): Promise<readonly Row[]> {
  installPeers();
  const engine = await openDynamo({ data: { kind: 'memory' } });
  const client = dynamoClient({ region, endpoint: engine.endpoint });
  const plain = await openServer({ kind: 'proxy', target: engine.endpoint, unprocessed: 0 });
  const faulty = await openServer({ kind: 'proxy', target: engine.endpoint, unprocessed: 0.02 });
  const stub = await openServer({ kind: 'stub' });
  try {
    const places: Place[] = [];
    if (parts.has('load')) {
      places.push({ name: 'engine', endpoint: engine.endpoint, engine: client });
      places.push({ name: 'proxy, 0 %', endpoint: plain.endpoint, engine: client });
      places.push({ name: 'proxy, 2 %', endpoint: faulty.endpoint, engine: client });
    }
    if (parts.has('stub')) places.push({ name: 'stub', endpoint: stub.endpoint, engine: undefined });
    return await loadAll(places);
  } finally {
    for (const server of [plain, faulty, stub]) server.close();
    client.destroy();
    await engine.release();
  }
}

if (options.help) {
  say(help);
} else {
  const rows = parts.has('load') || parts.has('stub') ? await measureLoads() : [];
  const budget = parts.has('budget') ? await measureBudget(say) : undefined;
  const memory = parts.has('memory') ? await measureMemory(say) : undefined;
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ items: count, rounds, concurrency, rows, budget, memory }, null, 2)}\n`);
  } else {
    const raw = (row: Row): Row | undefined => rows.find((other) => other.place === row.place && other.contender === 'raw');
    if (rows.length > 0)
      process.stdout.write(
        `${table(
          rowHeader,
          rows.map((row) => rowCells(row, raw(row))),
        )}\n`,
      );
    if (budget !== undefined) process.stdout.write(`\n${printBudget(budget)}\n`);
    if (memory !== undefined) process.stdout.write(`\n${printMemory(memory)}\n`);
  }
}
