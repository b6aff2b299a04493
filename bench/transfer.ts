import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { dynamoClient } from '../engine/aws/clients.ts';
import { openDynamo } from '../engine/local/local-engine.ts';
import { region } from './load/contender.ts';
import { createOrderTable } from './load/order-table.ts';
import { median, table as render } from './load/report.ts';
import { openServer } from './load/run-process.ts';
import { runStep } from './transfer/run-step.ts';
import { ledgerName } from './transfer/step.ts';

/** What npm run bench:transfer measures; `--help` lists the options. */
const { values: options } = parseArgs({
  options: {
    items: { type: 'string', default: '100000,1000000' },
    rounds: { type: 'string', default: '1' },
    turns: { type: 'string', default: '3' },
    steps: { type: 'string', default: 'raw-write,writer,raw-scan,export,import' },
    stub: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const help = `npm run bench:transfer -- [options]
  --items LIST  how many items, one measurement each (${options.items})
  --rounds N    rounds; medians are shown (${options.rounds})
  --turns N     scans and exports of a round, by turns (${options.turns})
  --steps LIST  of ${options.steps}; an import needs an export
  --stub N      instead: N items from and to a server that takes no time, for the memory of export and import
  --json        figures as JSON`;

const say = (text: string): void => void process.stderr.write(`${text}\n`);
/** Scans are short: they are taken more often, by turns, so that a slow moment falls on both. */
const scanTurns = Number(options.turns);
const steps = new Set(options.steps.split(','));
const kinds = ['raw-write', 'writer', 'raw-scan', 'export', 'import'] as const;

interface Row {
  readonly kind: (typeof kinds)[number];
  readonly items: number;
  readonly itemsPerSecond: number;
  readonly peakMegabytes: number;
  readonly idleMegabytes: number;
  readonly cpuMicrosPerItem: number;
}

/** All steps of one round on one engine; what comes out of the import must be what went in. */
async function round(count: number): Promise<readonly Row[]> {
  const engine = await openDynamo({ data: { kind: 'memory' } });
  const client = dynamoClient({ region, endpoint: engine.endpoint });
  const directory = await mkdtemp(join(tmpdir(), 'tablewright-bench-'));
  try {
    for (const name of ['source', 'target', ledgerName]) await createOrderTable(client, name);
    const rows: Row[] = [];
    const step = async (kind: Row['kind'], table: string): Promise<void> => {
      say(`${count.toLocaleString('en')} items: ${kind}`);
      const { seconds, items, digest: _, ...rest } = await runStep({ kind, endpoint: engine.endpoint, table, directory, count });
      if (items !== count) throw new Error(`${kind}: ${items} items, expected ${count}`);
      rows.push({ kind, items, itemsPerSecond: items / seconds, ...rest });
    };
    // Everything is measured beside these items, since the engine gets slower with what it holds.
    say(`${count.toLocaleString('en')} items: filling the source`);
    await runStep({ kind: 'raw-write', endpoint: engine.endpoint, table: 'source', directory, count });
    for (const kind of ['raw-write', 'writer'] as const) {
      if (!steps.has(kind)) continue;
      await createOrderTable(client, 'written');
      await step(kind, 'written');
      await client.send(new DeleteTableCommand({ TableName: 'written' }));
    }
    for (let turn = 0; turn < scanTurns; turn += 1) {
      for (const kind of ['raw-scan', 'export'] as const) if (steps.has(kind)) await step(kind, 'source');
    }
    if (!steps.has('import')) return rows;
    await step('import', 'target');
    say(`${count.toLocaleString('en')} items: comparing`);
    const digest = (table: string) => runStep({ kind: 'digest', endpoint: engine.endpoint, table, directory, count });
    const [before, after] = [await digest('source'), await digest('target')];
    if (before.digest !== after.digest) throw new Error('the imported table differs from the exported one');
    return rows;
  } finally {
    await rm(directory, { recursive: true, force: true });
    client.destroy();
    await engine.release();
  }
}

/** A million items in the engine take most of an hour; memory does not depend on who answers. */
async function measureStub(count: number): Promise<readonly Row[]> {
  const server = await openServer({ kind: 'pages', items: count });
  const directory = await mkdtemp(join(tmpdir(), 'tablewright-bench-'));
  try {
    const rows: Row[] = [];
    for (const kind of ['export', 'import'] as const) {
      say(`${count.toLocaleString('en')} items, stub: ${kind}`);
      const { seconds, items, ...rest } = await runStep({ kind, endpoint: server.endpoint, table: 'stub', directory, count });
      if (items !== count) throw new Error(`${kind}: ${items} items, expected ${count}`);
      rows.push({ kind, items, itemsPerSecond: items / seconds, ...rest });
    }
    return rows;
  } finally {
    server.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function measure(count: number, rounds: number): Promise<readonly Row[]> {
  const all: Row[] = [];
  for (let at = 0; at < rounds; at += 1) all.push(...(await round(count)));
  const measured = kinds.filter((kind) => steps.has(kind));
  return measured.map((kind) => {
    const mine = all.filter((row) => row.kind === kind);
    return {
      kind,
      items: count,
      itemsPerSecond: median(mine.map((row) => row.itemsPerSecond)),
      peakMegabytes: Math.max(...mine.map((row) => row.peakMegabytes)),
      idleMegabytes: Math.min(...mine.map((row) => row.idleMegabytes)),
      cpuMicrosPerItem: median(mine.map((row) => row.cpuMicrosPerItem)),
    };
  });
}

/** What each step is held against. */
const limits: Readonly<Partial<Record<Row['kind'], Row['kind']>>> = { writer: 'raw-write', import: 'writer', export: 'raw-scan' };

function cells(row: Row, rows: readonly Row[]): readonly string[] {
  const limit = rows.find((other) => other.kind === limits[row.kind]);
  return [
    row.items.toLocaleString('en'),
    row.kind,
    Math.round(row.itemsPerSecond).toLocaleString('en'),
    limit === undefined ? '' : `${(row.itemsPerSecond / limit.itemsPerSecond).toFixed(2)} of ${limit.kind}`,
    `${row.peakMegabytes.toFixed(0)} MB`,
    `${row.cpuMicrosPerItem.toFixed(0)} µs`,
  ];
}

if (options.help) {
  say(help);
} else {
  const results: Row[][] = [];
  const counts = options.stub === undefined ? options.items.split(',').map(Number) : [];
  if (options.stub !== undefined) results.push([...(await measureStub(Number(options.stub)))]);
  for (const count of counts) results.push([...(await measure(count, Number(options.rounds)))]);
  const header = ['items', 'step', 'items/s', 'against', 'peak memory', 'CPU an item'];
  const shown = results.flatMap((rows) => rows.map((row) => cells(row, rows)));
  process.stdout.write(options.json ? `${JSON.stringify(results.flat(), null, 2)}\n` : `${render(header, shown)}\n`);
}
