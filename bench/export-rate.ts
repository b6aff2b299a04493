import { spawn } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dynamoClient } from '../engine/aws/clients.ts';
import { openDynamo } from '../engine/local/local-engine.ts';
import { busiestSecond } from '../tests/support/busiest-second.ts';
import { type Consumption, openCapacityProxy } from '../tests/support/capacity-proxy.ts';
import { repository } from '../tests/support/run-cli.ts';
import { region } from './load/contender.ts';
import { createOrderTable } from './load/order-table.ts';
import { runStep } from './transfer/run-step.ts';

/** How much of its read budget `export` uses on the embedded engine, seen from outside by what counts units before it. */
const { values } = parseArgs({
  options: {
    rates: { type: 'string', default: '100,300,1000' },
    seconds: { type: 'string', default: '20' },
    help: { type: 'boolean', default: false },
  },
});

const help = `npm run bench:export-rate -- [options]
  --rates LIST   read units a second, one export each (${values.rates})
  --seconds N    the table has as many items as take so long at the highest rate (${values.seconds})`;

/** What a budget is used by at least, and what its busiest second may have. */
const goals = { used: 0.95, busiest: 1.1 };
const table = 'rated_orders';
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Reads as fast as the engine answers. */
const unlimited = 1_000_000;

interface Used {
  readonly rate: number;
  readonly seconds: number;
  readonly used: number;
  readonly busiest: number;
}

/** From the first unit to the last: what comes before and after is no reading. */
function usedOf(rate: number, consumed: readonly Consumption[]): Used {
  const reads = consumed.filter((one) => one.kind === 'read' && one.operation === 'Scan' && one.table === table);
  const times = reads.map(({ atMs }) => atMs);
  const seconds = (Math.max(...times) - Math.min(...times)) / 1_000;
  const units = reads.reduce((sum, one) => sum + one.units, 0);
  return { rate, seconds, used: units / seconds / rate, busiest: busiestSecond(reads) / rate };
}

function runExport(cwd: string, endpoint: string, rate: number): Promise<void> {
  const args = ['export', '--table-name', table, '--to', `out-${rate}`, '--rate', String(rate)];
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [join(repository, 'engine/cli/bin.js'), ...args, '--stack', 'dev', '--endpoint', endpoint],
      { cwd, stdio: ['ignore', 'ignore', 'inherit'] },
    );
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`export ended with ${code}`))));
  });
}

async function measure(): Promise<readonly Used[]> {
  const rates = values.rates.split(',').map(Number);
  const engine = await openDynamo({ data: { kind: 'memory' } });
  const client = dynamoClient({ region, endpoint: engine.endpoint });
  const directory = await mkdtemp(join(tmpdir(), 'tablewright-rate-'));
  try {
    await symlink(join(repository, 'tablewright.config.ts'), join(directory, 'tablewright.config.ts'));
    await writeFile(join(directory, 'Pulumi.dev.yaml'), `config:\n  aws:region: ${region}\n`);
    await createOrderTable(client, table);
    // Some 20 items of the load are read by one unit.
    const count = Math.max(...rates) * Number(values.seconds) * 20;
    say(`filling a table with ${count.toLocaleString('en')} items`);
    await runStep({ kind: 'raw-write', endpoint: engine.endpoint, table, directory, count });
    const used: Used[] = [];
    for (const rate of [unlimited, ...rates]) {
      const proxy = await openCapacityProxy(engine.endpoint);
      say(`export --rate ${rate}`);
      await runExport(directory, proxy.endpoint, rate);
      used.push(usedOf(rate, proxy.take()));
      await proxy.close();
    }
    return used;
  } finally {
    client.destroy();
    await rm(directory, { recursive: true, force: true });
    await engine.release();
  }
}

if (values.help) print(help);
else {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const [free, ...all] = await measure();
  const most = (free?.used ?? 0) * unlimited;
  print(`the engine gives ${most.toFixed(0)} read units a second at most`);
  for (const { rate, seconds, used, busiest } of all) {
    const isHeld = used >= goals.used && busiest <= goals.busiest;
    const held = isHeld ? 'held  ' : most < rate * 2 ? 'TOO SLOW AN ENGINE NOW' : 'MISSED';
    print(
      `${held}  export --rate ${rate}: ${percent(used)} used over ${seconds.toFixed(1)} s, busiest second ${percent(busiest)}`,
    );
  }
  if (all.some(({ used, busiest }) => used < goals.used || busiest > goals.busiest)) process.exitCode = 1;
}
