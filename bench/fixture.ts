import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dynamoClient } from '../engine/aws/clients.ts';
import { dynamoStore } from '../engine/aws/store/dynamo-store.ts';
import { sleep } from '../engine/cli/read-environment.ts';
import { openDynamo } from '../engine/local/local-engine.ts';
import { ensureTable } from '../engine/run/tables/ensure-tables.ts';
import { parseStackConfig } from '../tables/model/stack/stack-config.ts';
import { tables } from '../tests/support/project.ts';
import { compiled } from './fork-compiled.ts';

/**
 * `npm run bench:fixture [-- --rows N] [--format jsonl|json|csv]`: one fixture of many orders, executions that refer to them and
 * relative times, loaded by `tablewright seed`, compiled as the package is, in a process of its own, then loaded again. Processor time and peak memory are that
 * process's own, as the operating system counts them.
 */
const { values } = parseArgs({
  options: { rows: { type: 'string', default: '50000' }, format: { type: 'string', default: 'jsonl' } },
});
const rows = Number(values.rows);

/** Clients and orders, one after the other, each order created at a time of its own. */
function* orders(): Generator<Readonly<Record<string, unknown>>> {
  for (let n = 0; n < rows; n += 1) {
    yield {
      order_id: `big_${n}`,
      client_id: `client_${n % 500}`,
      product_id: `product_${n % 50}`,
      symbol: 'BTCUSDT',
      side: n % 2 === 0 ? 'BUY' : 'SELL',
      quantity: `${(n % 97) + 1}.25`,
      price: '86010.123456789012345678901234567890',
      status: 'FILLED',
      order_type: 'LIMIT',
      created_at: `now-${(n % 80) + 1}d+${Math.floor(n / 80)}s`,
      updated_at: 'now-1h',
      ...(n % 10 === 0 ? { master_order_id: `master_${n % 7}` } : {}),
    };
  }
}

const formats: Readonly<Record<string, (all: Iterable<Readonly<Record<string, unknown>>>) => string>> = {
  jsonl: (all) => `${[...all].map((row) => JSON.stringify(row)).join('\n')}\n`,
  json: (all) => JSON.stringify([...all], null, 2),
  csv: (all) => {
    const columns = ['master_order_id', ...Object.keys([...orders()][1] ?? {})];
    const lines = [...all].map((row) => columns.map((name) => row[name] ?? '').join(','));
    return `${columns.join(',')}\n${lines.join('\n')}\n`;
  },
};

async function makeProject(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'tablewright-fixture-'));
  const folder = join(root, 'seeds', 'big');
  await mkdir(folder, { recursive: true });
  const ids = (name: string, count: number, head: string, row: (id: string) => string) =>
    writeFile(join(folder, name), `${head}\n${Array.from({ length: count }, (_, n) => row(String(n))).join('\n')}\n`);
  await ids('clients.csv', 500, 'client_id,name,status', (n) => `client_${n},Client ${n},ACTIVE`);
  await ids('products.csv', 50, 'product_id,name,status', (n) => `product_${n},Product ${n},ACTIVE`);
  await writeFile(join(folder, `orders.${values.format}`), formats[values.format]?.(orders()) ?? '');
  await writeFile(
    join(folder, 'seed.ts'),
    `import { defineSeed, file } from '${compiled('engine/author.ts')}';
import { client, omsConfig, product } from '${compiled('tables/oms/config.ts')}';
import { omsTradingData, order } from '${compiled('tables/oms/trading-data.ts')}';
export default defineSeed({
  description: 'one large fixture',
  stacks: ['bench'],
  fixtures: [
    file(omsConfig, client, 'clients.csv'),
    file(omsConfig, product, 'products.csv'),
    file(omsTradingData, order, 'orders.${values.format}'),
  ],
});
`,
  );
  await writeFile(join(root, 'package.json'), '{"type":"module"}');
  await writeFile(join(root, 'tablewright.config.ts'), `export { default } from '${compiled('tablewright.config.ts')}';\n`);
  await writeFile(join(root, 'Pulumi.bench.yaml'), 'config:\n  aws:region: us-east-1\n');
  return root;
}

/** Printed by the process itself as it ends: its own use of the machine. */
const tell = `data:text/javascript,${encodeURIComponent(`process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  process.stderr.write('\\nUSED ' + JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1e6, megabytes: maxRSS / 1024 }) + '\\n');
});`)}`;

async function seed(root: string, endpoint: string, what: string): Promise<void> {
  const args = ['--import', tell, compiled('engine/cli/start.js'), 'seed', 'big', '--stack', 'bench', '--endpoint', endpoint];
  const child = spawn(process.execPath, [...args, '--quiet'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const started = performance.now();
  const [code] = (await once(child, 'close')) as [number];
  const used = JSON.parse(/USED (.*)/.exec(said)?.[1] ?? '{}') as { readonly cpu: number; readonly megabytes: number };
  if (code !== 0) throw new Error(said);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.log(
    `${what.padEnd(12)} ${rows.toLocaleString('en')} rows (${values.format}): peak ${used.megabytes.toFixed(0)} MB, ` +
      `${used.cpu.toFixed(1)} s of processor time, ${seconds} s in all`,
  );
}

const engine = await openDynamo({ data: { kind: 'memory' } });
const root = await makeProject();
try {
  const config = parseStackConfig('bench', {}, tables);
  const client = dynamoClient({ region: config.region, endpoint: engine.endpoint });
  for (const table of tables) await ensureTable({ store: dynamoStore(client), config, sleep }, table);
  client.destroy();
  await seed(root, engine.endpoint, 'first load');
  await seed(root, engine.endpoint, 'again');
} finally {
  await rm(root, { recursive: true, force: true });
  await engine.release();
}
