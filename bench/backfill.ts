import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type Counted, openCountingProxy } from './backfill/counting-proxy.ts';
import { measureEngine } from './backfill/engine-part.ts';
import { answerMs, measureLatency } from './backfill/latency-part.ts';
import { printResults, type Result } from './backfill/result.ts';
import { runContender, withEngine } from './backfill/run-contender.ts';
import { installPeers } from './install-peers.ts';
import { table } from './load/report.ts';

/** What npm run bench:backfill measures; `--help` lists the options. */
const { values: options } = parseArgs({
  options: {
    /** `units`: what is consumed, off the clock; `engine`: on the embedded engine; `latency`: where answers take 8 ms, as on AWS. */
    parts: { type: 'string', default: 'units,engine,latency' },
    items: { type: 'string', default: '20000,100000' },
    rounds: { type: 'string', default: '1' },
    contenders: { type: 'string', default: 'raw,tablewright,umzug,onetable,copy-table' },
    /** Requests and units grow with the items, so they are counted on a smaller table. */
    counted: { type: 'string', default: '5000' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const contenders = options.contenders.split(',');
/** The limit is that of the embedded engine. */
const people = contenders.filter((contender) => contender !== 'raw');
const sizes = options.items.split(',').map(Number);
const rounds = Number(options.rounds);
const countedItems = Number(options.counted);
const say = (text: string): void => void process.stderr.write(`${text}\n`);

const costOf = (contender: string): Promise<Counted> =>
  withEngine(contender, countedItems, async (_, job) => {
    const proxy = await openCountingProxy(job.endpoint);
    try {
      await runContender(contender, { ...job, endpoint: proxy.endpoint });
      return proxy.counted();
    } finally {
      proxy.close();
    }
  });

function printCosts(costs: ReadonlyMap<string, Counted>): string {
  const per = (value: number): string => ((value * 1_000) / countedItems).toFixed(0);
  const lines = [...costs].map(([contender, { requests, readUnits, writeUnits }]) => [
    contender,
    countedItems.toLocaleString('en'),
    ...[requests, readUnits, writeUnits].map(per),
  ]);
  return `per 1,000 items\n${table(['contender', 'counted on', 'requests', 'RCU', 'WCU'], lines)}`;
}

type Measure = typeof measureEngine;

async function everySize(measure: Measure, who: readonly string[]): Promise<readonly (readonly Result[])[]> {
  const all: (readonly Result[])[] = [];
  for (const count of sizes) all.push(await measure(say, who, count, rounds));
  return all;
}

async function measureAll(): Promise<void> {
  const parts = options.parts.split(',');
  const load = loadavg()
    .map((value) => value.toFixed(2))
    .join(' ');
  const costs = new Map<string, Counted>();
  for (const contender of parts.includes('units') ? people : []) {
    say(`requests and units of ${contender}, ${countedItems} items`);
    costs.set(contender, await costOf(contender));
  }
  const engine = parts.includes('engine') ? await everySize(measureEngine, contenders) : [];
  const latency = parts.includes('latency') ? await everySize(measureLatency, people) : [];
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ load, costs: Object.fromEntries(costs), engine, latency }, null, 2)}\n`);
    return;
  }
  const blocks = [
    `load average before the run: ${load}`,
    ...(costs.size > 0 ? [printCosts(costs)] : []),
    ...engine.map((results) => `on the embedded engine\n${printResults(results)}`),
    ...latency.map((results) => `answers after ${answerMs} ms\n${printResults(results)}`),
  ];
  process.stdout.write(`${blocks.join('\n\n')}\n`);
}

if (options.help) {
  const shown = Object.entries(options).filter(([name]) => !['help', 'json'].includes(name));
  say(`npm run bench:backfill -- ${shown.map(([name, value]) => `[--${name} ${value}]`).join(' ')} [--json]`);
} else {
  installPeers();
  await measureAll();
}
