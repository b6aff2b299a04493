import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { commands } from '../../engine/cli/commands/all.js';
import { backtestResults, marketOrders, omsConfig, omsTradingData, scanHistory } from '../../tables/catalogue.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { parseStackConfig, physicalName } from '../../tables/model/stack/stack-config.ts';
import { bareProducts } from '../support/bare-products.ts';
import { busiestSecond } from '../support/busiest-second.ts';
import { type CapacityProxy, type Consumption, openCapacityProxy } from '../support/capacity-proxy.ts';
import { CliWorker, type WorkerReport } from '../support/cli-worker.ts';
import { tables as catalogue } from '../support/project.ts';
import { type ProjectFolder, projectFolder } from '../support/project-folder.ts';
import { startEngine, type TestEngine } from '../support/test-engine.ts';

const budgets = { read: 20, write: 40 };
const stackFile = `config:
  aws:region: us-east-1
  tablewright:production: false
  tablewright:budgets:
    read: ${budgets.read}
    write: ${budgets.write}
`;
const config = parseStackConfig('dev', { budgets }, catalogue);

interface Case {
  readonly args: readonly string[];
  /** Units per second; the stack's own where nothing else is said. */
  readonly read?: number;
  readonly write?: number;
  /** It must have used so much of a table, or the case shows nothing. */
  readonly uses?: { readonly table: string; readonly kind: 'read' | 'write'; readonly units: number };
  readonly code?: number;
}

interface Measured {
  readonly one: Case;
  readonly report: WorkerReport;
  readonly consumed: readonly Consumption[];
}

const filler = (kilobytes: number): Item => ({ remark: { S: 'x'.repeat(kilobytes * 1_024) } });
const text = (value: string) => ({ S: value });

const products = (count: number, kilobytes: number): readonly Item[] => bareProducts(count, () => filler(kilobytes));

/** With an analyst, and without index keys; the last one of a time that nobody can read. */
const orders = (count: number): readonly Item[] => {
  const now = new Date();
  const day = `${now.toISOString().slice(8, 10)}/${now.toISOString().slice(5, 7)}/${now.getUTCFullYear()}`;
  return Array.from({ length: count }, (_, at) => {
    const seconds = String(at % 60).padStart(2, '0');
    return {
      PK: text(`CLIENT#c${at % 3}`),
      SK: text(`ORDER#${now.toISOString().slice(0, 10)}T00:00:${seconds}Z#o${at}`),
      entity_type: text('ORDER'),
      order_id: text(`o${at}`),
      client_id: text(`c${at % 3}`),
      product_id: text('p1'),
      analyst_id: text('a1'),
      symbol: text('BTC'),
      side: text('BUY'),
      quantity: { N: '1' },
      status: text('FILLED'),
      order_type: text('LIMIT'),
      created_at: text(at === count - 1 ? 'yesterday' : `${day} 00:00:${seconds}`),
      updated_at: text(`${day} 00:00:${seconds}`),
      ...filler(1),
    };
  });
};

const marketOrderItems = (count: number): readonly Item[] =>
  Array.from({ length: count }, (_, at) => ({
    id: text(`m${at}`),
    marketId: text(`market${at % 2}`),
    owner: text('ana'),
    side: text(at % 2 === 0 ? 'Buy' : 'Sell'),
    price: { N: '0.5' },
    quantity: { N: '10' },
    remaining: { N: '10' },
    status: text('Open'),
    createdAt: text('2026-01-01T00:00:00.000Z'),
    ...filler(2),
  }));

const results = (count: number): readonly Item[] =>
  Array.from({ length: count }, (_, at) => ({
    symbol: text(`S${at}`),
    scan_timestamp: { N: '1790000000' },
    scan_id: text('scan-1'),
    optimal_timeframe: text('1h'),
    optimal_pnl: { N: String(at) },
    status: text('active'),
    ...filler(3),
  }));

const scans: readonly Item[] = Array.from({ length: 30 }, (_, at) => ({
  scan_id: text(`scan-${at}`),
  scan_timestamp: { N: '1790000000' },
  status: text(at === 1 ? 'completed' : 'running'),
  ...filler(3),
}));

const strangeRecords = (count: number): readonly Item[] =>
  Array.from({ length: count }, (_, at) => ({ PK: text('NOTES'), SK: text(`n${at}`), ...filler(3) }));

const nameOf = (table: (typeof catalogue)[number]): string => physicalName(table, config);
const rates = (read: number, write: number) => ({
  read,
  write,
  flags: ['--read-rate', String(read), '--rate', String(write)],
});

describe('every command that takes a budget', function () {
  this.timeout(180_000);
  const engines: TestEngine[] = [];
  const proxies: CapacityProxy[] = [];
  const measured: Measured[] = [];
  let folder: ProjectFolder;
  let worker: CliWorker;

  /** A stack of its own, so that several of them can be worked on at once. */
  async function stack() {
    const engine = await startEngine(catalogue, config);
    const proxy = await openCapacityProxy(engine.endpoint);
    engines.push(engine);
    proxies.push(proxy);
    const run = async (one: Case): Promise<WorkerReport> => {
      const report = await worker.run([...one.args, '--stack', 'dev', '--endpoint', proxy.endpoint]);
      measured.push({ one, report, consumed: proxy.take() });
      return report;
    };
    return { engine, run };
  }

  async function migrations(): Promise<void> {
    const { engine, run } = await stack();
    await engine.putRaw(omsConfig, products(24, 3));
    await engine.putRaw(omsTradingData, orders(20));
    const { flags, read, write } = rates(20, 80);
    const reads = { table: nameOf(omsConfig), kind: 'read', units: 10 } as const;
    const writes = { ...reads, kind: 'write', units: 100 } as const;
    await run({ args: ['plan', '--to', '1', ...flags], read, write, uses: reads });
    await run({ args: ['migrate', '--to', '1', ...flags], read, write, uses: writes });
    await run({ args: ['verify', '1', ...flags], read, write, uses: { ...reads, units: 24 } });
    // One of the orders cannot be repaired.
    const trading = { table: nameOf(omsTradingData), kind: 'write', units: 20 } as const;
    await run({ args: ['migrate', '--to', '2', ...flags], read, write, uses: trading, code: 1 });
    await run({ args: ['retry', '2', ...flags], read, write, uses: { ...trading, kind: 'read', units: 1 }, code: 1 });
    await run({ args: ['rollback', '--to', '0', ...flags], read, write, uses: writes });
    // Those that take no rate keep to the stack's budgets; repair reads the whole ledger, also what is none of it.
    const ledgerReads = { table: nameOf(ledger), kind: 'read', units: 40 } as const;
    await engine.putRaw(ledger, strangeRecords(40));
    await run({ args: ['repair'], uses: ledgerReads });
    for (const args of [['status'], ['history', '1'], ['report', '1'], ['pause'], ['resume'], ['stop'], ['unlock']]) {
      await run({ args, uses: { ...ledgerReads, units: 1 }, code: args[0] === 'status' ? 1 : 0 });
    }
  }

  async function cutover(): Promise<void> {
    const { engine, run } = await stack();
    await engine.putRaw(omsConfig, products(24, 3));
    await engine.putRaw(marketOrders, marketOrderItems(40));
    await engine.putRaw(omsTradingData, orders(24).slice(0, -1));
    const { flags, read, write } = rates(50, 100);
    const plenty = rates(100_000, 100_000);
    const trading = { table: nameOf(omsTradingData), kind: 'write', units: 150 } as const;
    const market = { table: nameOf(marketOrders), kind: 'read', units: 60 } as const;
    await run({ ...plenty, args: ['migrate', '--to', '3', ...plenty.flags] });
    await run({ args: ['migrate', '--to', '4', ...flags], read, write, uses: trading });
    await run({ ...plenty, args: ['migrate', '--to', '10', ...plenty.flags] });
    await run({ args: ['migrate', ...flags], read, write, uses: market });
    await run({ args: ['cutover', 'check', 'markets.orders.byOwner'], uses: { ...market, units: 25 } });
    const states = { table: nameOf(ledger), kind: 'read', units: 0.5 } as const;
    await run({ args: ['cutover', 'status'], uses: states });
    await run({ args: ['cutover', 'revert', '--all'], uses: { ...states, kind: 'write', units: 4 } });
    await run({ args: ['cutover', 'shadow', '--all'], uses: { ...states, kind: 'write', units: 4 } });
    await run({ args: ['cutover', 'apply', 'oms.config.allProducts'], uses: { ...market, table: nameOf(omsConfig), units: 25 } });
  }

  async function transfers(): Promise<void> {
    const { engine, run } = await stack();
    await engine.putRaw(omsConfig, products(60, 3));
    await engine.putRaw(backtestResults, results(20));
    await engine.putRaw(scanHistory, scans);
    const read = { table: nameOf(omsConfig), kind: 'read', units: 20 } as const;
    const write = { ...read, kind: 'write', units: 100 } as const;
    const to = join(folder.root, 'exported');
    await run({ args: ['export', 'oms_config', '--portable', '--to', to, '--rate', '10'], read: 10, uses: read });
    const [id = ''] = await readdir(join(to, 'AWSDynamoDB'));
    await engine.removeRaw(omsConfig, products(60, 3));
    const from = ['import', join(to, 'AWSDynamoDB', id), '--table', 'oms_config', '--rate', '60'];
    await run({ args: [...from, '--skip-existing', '--verify', 'none'], read: 60, write: 60, uses: write });
    await run({ args: [...from, '--again', '--verify', 'full'], read: 60, write: 60, uses: write });
    await run({ args: [...from, '--again', '--threads', '3', '--verify', 'none'], read: 60, write: 60, uses: write });
    await run({ args: [...from, '--if-newer', 'name', '--again', '--verify', 'none'], read: 60, write: 60 });
    const history = { table: nameOf(scanHistory), kind: 'read', units: 15 } as const;
    const older = ['archive', 'items', 'crypto-scan-history', '--older-than', '1d', '--to', join(folder.root, 'older')];
    await run({ args: [...older, '--read-rate', '20'], read: 20, uses: history });
    await run({ args: ['archive', '--to', join(folder.root, 'archive'), '--rate', '10'], read: 10, uses: history });
  }

  async function seeds(): Promise<void> {
    const { run } = await stack();
    const ledger = { table: 'tablewright-ledger-dev', kind: 'write', units: 40 } as const;
    await run({ args: ['seed', 'oms', '--rate', '25'], read: 25, write: 25, uses: ledger });
    await run({ args: ['seed', 'oms', '--rate', '25'], read: 25, write: 25, uses: { ...ledger, kind: 'read', units: 10 } });
    const trading = { table: nameOf(omsTradingData), kind: 'write', units: 60 } as const;
    await run({ args: ['seed', '--volume', '80', '--system', 'oms', '--rate', '50'], read: 50, write: 50, uses: trading });
    const more = ['seed', '--volume', '160', '--system', 'oms', '--rate', '50', '--threads', '2'];
    await run({ args: more, read: 50, write: 50, uses: trading });
  }

  async function looks(): Promise<void> {
    const { engine, run } = await stack();
    await engine.putRaw(omsConfig, products(60, 3));
    await engine.putRaw(marketOrders, marketOrderItems(40));
    const config = { table: nameOf(omsConfig), kind: 'read', units: 15 } as const;
    const market = { table: nameOf(marketOrders), kind: 'read', units: 5 } as const;
    const rules = join(folder.root, 'rules.yaml');
    await writeFile(rules, 'rules:\n  - { table: oms_config, entity: PRODUCT, attribute: name, as: name }\n');
    await run({ args: ['check', 'index', 'oms_config', 'GSI1', '--read-rate', '10'], read: 10, uses: config });
    await run({ args: ['advise', 'indexes', '--table', 'orders', '--read-rate', '10'], read: 10, uses: market });
    const begun = ['table', 'from-aws', nameOf(omsConfig), '--out', 'begun/config.ts', '--read-rate', '10'];
    await run({ args: begun, read: 10, uses: config });
    await run({ args: ['mask', 'plan', rules, '--rate', '10'], read: 10, uses: config });
    await run({ args: ['subject', 'show', 'ana', '--rate', '10'], read: 10, uses: market });
    const erased = ['subject', 'erase', 'nobody', '--yes', '--read-rate', '10', '--rate', '10'];
    await run({ args: erased, read: 10, write: 10, uses: market });
  }

  before(async () => {
    folder = await projectFolder({ dev: stackFile });
    worker = new CliWorker(folder.root, { TABLEWRIGHT_MASK_KEY: 'a key of many characters, for tests' });
    await worker.run(['tables']);
    await Promise.all([migrations(), cutover(), transfers(), seeds(), looks()]);
  });
  after(async () => {
    worker.close();
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await Promise.all(engines.map((engine) => engine.close()));
    await folder.remove();
  });

  it('is among the cases, and so is whoever reads or writes the ledger within the stack’s own', () => {
    // These read as applications do, or change tables alone: nobody has set them a budget of units.
    // A refresh has two stacks, and a test of its own for its budgets. Only on AWS is there something to attach to.
    const without = [
      'up',
      'query',
      'explain',
      'doctor',
      'tables',
      'backup',
      'pitr',
      'restore',
      'adopt',
      'console',
      'refresh',
      'attach',
    ];
    const seen = measured.map(({ one }) => one.args.join(' '));
    const budgeted = commands
      .filter(({ reach, options = {} }) => reach === 'store' || 'rate' in options || 'readRate' in options)
      .map(({ words }) => words)
      .filter((words) => !without.includes(words.split(' ')[0] ?? ''));
    expect(budgeted.filter((words) => !seen.some((args) => args.startsWith(words)))).to.deep.equal([]);
  });

  it('does its work', () => {
    for (const { one, report, consumed } of measured) {
      const what = `${one.args.join(' ')}: ${report.stderr}`;
      expect(report.code, what).to.equal(one.code ?? 0);
      if (one.uses === undefined) continue;
      const { table, kind, units } = one.uses;
      expect(sum(consumed.filter((entry) => entry.table === table && entry.kind === kind)), what).to.be.at.least(units);
    }
  });

  it('sends its bulk work by the direct way, whatever it is made of: the SDK sends single items alone', () => {
    const bulk = ['BatchExecuteStatement', 'BatchGetItem', 'BatchWriteItem', 'Query', 'Scan', 'TransactWriteItems'];
    const all = measured.flatMap(({ one, consumed }) => consumed.map((entry) => ({ ...entry, command: one.args[0] })));
    const bySdk = all.filter(({ operation, bySdk }) => bulk.includes(operation) && bySdk);
    expect([...new Set(bySdk.map(({ command, operation }) => `${command}: ${operation}`))]).to.deep.equal([]);
    expect([...new Set(all.map(({ operation }) => operation))]).to.include.members(bulk);
  });

  it('stays within 110 % of it on every table in every second, the ledger included', () => {
    const over: string[] = [];
    for (const { one, consumed } of measured) {
      for (const [place, entries] of byTable(consumed)) {
        const kind = entries[0]?.kind ?? 'read';
        const budget = one[kind] ?? budgets[kind];
        const busiest = busiestSecond(entries);
        if (busiest > budget * 1.1) over.push(`${one.args.join(' ')}: ${place}: ${busiest} units in a second, ${budget} allowed`);
      }
    }
    expect(over).to.deep.equal([]);
  });
});

const sum = (entries: readonly Consumption[]): number => entries.reduce((total, { units }) => total + units, 0);

function byTable(consumed: readonly Consumption[]): ReadonlyMap<string, readonly Consumption[]> {
  const found = new Map<string, Consumption[]>();
  for (const entry of consumed) {
    const place = `${entry.kind}s of ${entry.table}`;
    found.set(place, [...(found.get(place) ?? []), entry]);
  }
  return found;
}
