import { createHash } from 'node:crypto';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type AttributeValue, DeleteTableCommand, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { dynamoClient } from '../engine/aws/clients.ts';
import { localWriteSockets, openDynamo } from '../engine/local/local-engine.ts';
import { measureBudget, printBudget } from './budget.ts';
import { installPeers } from './install-peers.ts';
import { measureLatency, printLatency } from './latency.ts';
import { region } from './load/contender.ts';
import type { Measured } from './load/contender-process.ts';
import { createOrderTable } from './load/order-table.ts';
import { type Row, rowCells, rowHeader, table } from './load/report.ts';
import { type ContenderProcess, openContender, openServer } from './load/run-process.ts';
import { measureMemory, printMemory } from './memory.ts';

/** What npm run bench:load measures; `--help` lists the options. */
const { values: options } = parseArgs({
  options: {
    items: { type: 'string', default: '48000' },
    slices: { type: 'string', default: '8' },
    concurrency: { type: 'string', default: '8' },
    parts: { type: 'string', default: 'load,stub,latency,budget,memory' },
    contenders: {
      type: 'string',
      default: 'raw,raw-serial,writer,writer-sdk,onetable,electrodb,batch-iterator,serverless-dynamodb',
    },
    threads: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '20' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** The stub takes items so much faster than the engine that as many would be written in a moment: it gets more of them. */
const stubTimes = 8;

const help = `npm run bench:load -- [options]
  --items N         items per contender and place (${options.items}; against the stub ${stubTimes} times as many)
  --slices N        loads in which a contender writes them, by turns with the others (${options.slices})
  --concurrency N   batches in flight, where a contender has a choice (${options.concurrency})
  --parts LIST      of load,stub,latency,budget,memory
  --contenders LIST of ${options.contenders}
  --threads N       worker threads of the writer that is measured besides against the stub, each with its share (${options.threads}; 1: none)
  --seconds N       how long a budget is held, and a load with slow answers takes (${options.seconds})
  --json            figures as JSON`;

const slices = Number(options.slices);
const sliceItems = Math.ceil(Number(options.items) / slices);
const items = sliceItems * slices;
const concurrency = Number(options.concurrency);
const parts = new Set(options.parts.split(','));
const contenders = options.contenders.split(',');
const threads = Number(options.threads);
const seconds = Number(options.seconds);
/** Not part of the others' rounds: it is for places that one core does not fill. */
const threaded = 'writer-threads';
/** Above this load average the machine is busy with something else, and figures do not count. */
const quietLoad = 0.5;
/** Against the stub. Node compiles what runs often, and a bulk load is a long run: the writer gets faster up to here. */
const warmUpItems = 150_000;
const say = (text: string): void => void process.stderr.write(`${text}\n`);

interface Place {
  readonly name: string;
  readonly endpoint: string;
  /** What the commands would choose for the writer here. */
  readonly writerConnections: number | undefined;
  /** Where the items can be counted; undefined for the stub. */
  readonly engine: DynamoDBClient | undefined;
  /** Items of one load here, for each item of a load elsewhere. */
  readonly times: number;
  /** The server's own processor time so far, where it is the bench's own. */
  readonly serverMicros?: () => Promise<number>;
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

/** A contender at a place, and what its loads were like. */
interface Entry {
  readonly place: Place;
  readonly contender: ContenderProcess;
  readonly loads: Load[];
}

interface Load extends Measured {
  readonly lost: number | undefined;
  readonly serverMicros: number;
}

const loadItems = ({ times }: Place): number => sliceItems * times;

/** One load into a table of its own, which is deleted afterwards: the engine gets slower with what it holds. */
async function load({ place, contender }: Entry): Promise<Load> {
  const count = loadItems(place);
  const { engine, endpoint, serverMicros = async () => 0 } = place;
  const connections = contender.name.startsWith('writer') ? place.writerConnections : undefined;
  const name = `load-${contender.name}`;
  if (engine !== undefined) await createOrderTable(engine, name);
  const before = await serverMicros();
  const measured = await contender.load({ endpoint, table: name, from: 0, count, concurrency, connections, threads });
  const after = await serverMicros();
  const lost = engine === undefined ? undefined : count - (await countItems(engine, name));
  await engine?.send(new DeleteTableCommand({ TableName: name }));
  return { ...measured, lost, serverMicros: after - before };
}

/** All contenders at all places, in slices and by turns, so that a slow moment of the machine falls on all of them. */
async function loadAll(places: readonly Place[], warmUp: Place): Promise<readonly Row[]> {
  const isThreaded = threads > 1 && contenders.includes('writer') && places.includes(warmUp);
  const processes = [...contenders, ...(isThreaded ? [threaded] : [])].map(openContender);
  const entries = places.flatMap((place): readonly Entry[] =>
    processes.filter(({ name }) => name !== threaded || place === warmUp).map((contender) => ({ place, contender, loads: [] })),
  );
  try {
    for (const contender of processes) {
      say(`${contender.name} warms up`);
      for (let done = 0; done < warmUpItems; done += loadItems(warmUp)) await load({ place: warmUp, contender, loads: [] });
    }
    for (let slice = 0; slice < slices; slice += 1) {
      say(`slice ${slice + 1} of ${slices}`);
      for (const entry of shuffled(entries, slice)) entry.loads.push(await load(entry));
    }
    return entries.map(rowOf);
  } finally {
    for (const contender of processes) contender.close();
  }
}

/** Another order for every slice, the same in every run: nobody always comes after the same one. */
function shuffled<T>(list: readonly T[], slice: number): readonly T[] {
  const place = (at: number): string => createHash('sha256').update(`${slice}/${at}`).digest('hex');
  const places = list.map((one, at) => ({ one, place: place(at) }));
  return places.toSorted((a, b) => (a.place < b.place ? -1 : 1)).map(({ one }) => one);
}

function rowOf({ place, contender, loads }: Entry): Row {
  const sum = (of: (load: Load) => number): number => loads.reduce((all, one) => all + of(one), 0);
  const written = loadItems(place) * loads.length;
  return {
    place: place.name,
    contender: contender.name === threaded ? `writer, ${threads} threads` : contender.name,
    itemsPerSecond: written / sum((one) => one.seconds),
    cpuMicrosPerItem: sum((one) => one.cpuMicros) / written,
    peakMegabytes: Math.max(...loads.map((one) => one.peakMegabytes)),
    lost: place.engine === undefined ? undefined : sum((one) => one.lost ?? 0),
    serverMicrosPerItem: place.serverMicros === undefined ? undefined : sum((one) => one.serverMicros) / written,
  };
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
      places.push({ name: 'engine', endpoint: engine.endpoint, writerConnections: localWriteSockets, engine: client, times: 1 });
      places.push({ name: 'proxy, 0 %', endpoint: plain.endpoint, writerConnections: undefined, engine: client, times: 1 });
      places.push({ name: 'proxy, 2 %', endpoint: faulty.endpoint, writerConnections: undefined, engine: client, times: 1 });
    }
    const stubPlace: Place = {
      name: 'stub',
      endpoint: stub.endpoint,
      writerConnections: undefined,
      engine: undefined,
      times: stubTimes,
      serverMicros: () => stub.cpuMicros(),
    };
    if (parts.has('stub')) places.push(stubPlace);
    return await loadAll(places, stubPlace);
  } finally {
    for (const server of [plain, faulty, stub]) server.close();
    client.destroy();
    await engine.release();
  }
}

/** The better of the two raw loops: which of them it is depends on the place. */
function rawOf(rows: readonly Row[], place: string): Row | undefined {
  const [best] = rows
    .filter((row) => row.place === place && row.contender.startsWith('raw'))
    .toSorted((a, b) => b.itemsPerSecond - a.itemsPerSecond);
  return best;
}

function printLoads(rows: readonly Row[]): string {
  return table(
    rowHeader,
    rows.map((row) => rowCells(row, rawOf(rows, row.place))),
  );
}

if (options.help) {
  say(help);
} else {
  const [before = 0] = loadavg();
  say(
    `load average before the run: ${before.toFixed(2)}${before > quietLoad ? `; figures do not count above ${quietLoad}` : ''}`,
  );
  const rows = parts.has('load') || parts.has('stub') ? await measureLoads() : [];
  // Those who send one request at a time, or all at once, have no choice to measure.
  const choosing = contenders.filter((name) => ['writer', 'onetable', 'electrodb'].includes(name));
  const latency = parts.has('latency') ? await measureLatency(say, choosing, seconds) : undefined;
  const budget = parts.has('budget') ? await measureBudget(say, seconds) : undefined;
  const memory = parts.has('memory') ? await measureMemory(say) : undefined;
  if (options.json) {
    const figures = { loadAverage: before, items, slices, concurrency, threads, rows, latency, budget, memory };
    process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
  } else {
    const texts = [
      `load average before the run: ${before.toFixed(2)}`,
      ...(rows.length > 0 ? [printLoads(rows)] : []),
      ...(latency === undefined ? [] : [printLatency(latency)]),
      ...(budget === undefined ? [] : [printBudget(budget)]),
      ...(memory === undefined ? [] : [printMemory(memory)]),
    ];
    process.stdout.write(`${texts.join('\n\n')}\n`);
  }
}
