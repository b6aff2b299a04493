import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { omsConfig } from '../tables/catalogue.ts';
import { parseStackConfig, physicalName } from '../tables/model/stack/stack-config.ts';
import { tables } from '../tests/support/project.ts';
import { projectFolder } from '../tests/support/project-folder.ts';
import { repository } from '../tests/support/run-cli.ts';
import { startEngine } from '../tests/support/test-engine.ts';
import { askSlowTable } from './backfill/latency-part.ts';
import type { SlowOrders } from './backfill/slow-orders.ts';
import type { SlowFigures } from './backfill/slow-process.ts';
import { table } from './load/report.ts';

/**
 * Does twice the workers mean twice the rate? `migrate --on local` with 1, 2, 4 and 8 workers against a table that answers after 20 ms and
 * whose partitions take 1,000 units a second. A worker's share is far below what one can do, so that this machine is not what is measured.
 */
const { values: options } = parseArgs({
  options: {
    workers: { type: 'string', default: '1,2,4,8' },
    /** Of work at the budget, for each number of workers. */
    seconds: { type: 'string', default: '40' },
    /** Write units per second of one worker. One alone reaches some 17,000 where answers take 8 ms (docs/benchmarks.md): 1/16 is 1,000. */
    share: { type: 'string', default: '100' },
  },
});

const config = parseStackConfig('dev', {}, tables);
const stackFile = 'config:\n  aws:region: us-east-1\n  tablewright:production: false\n';
/** An item of this migration and its entry in the index. */
const unitsPerItem = 2;
const share = Number(options.share);
const seconds = Number(options.seconds);
const partitions = { count: 4, unitsPerSecond: 1_000, splitAfterMs: 5_000 };
const say = (text: string): void => void process.stderr.write(`${text}\n`);

interface Seen {
  readonly atMs: number;
  readonly units: number;
  readonly busy: number;
  readonly all: number;
}

interface Figures {
  readonly workers: number;
  readonly unitsPerSecond: number;
  readonly cpuShare: number;
  readonly throttles: number;
}

const looked = async (slow: ChildProcess): Promise<Seen & SlowFigures> => {
  const figures = await askSlowTable<SlowFigures>(slow, {});
  const times = cpus().map((cpu) => cpu.times);
  const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  const idle = times.reduce((sum, { idle: of }) => sum + of, 0);
  return { ...figures, atMs: performance.now(), busy: all - idle, all };
};

/** Where its workers were all at it: between the first tenth of the units and the last two. */
function steady(seen: readonly Seen[], total: number): Omit<Figures, 'workers' | 'throttles'> {
  const first = seen.find(({ units }) => units >= total * 0.1);
  const last = seen.findLast(({ units }) => units <= total * 0.8);
  if (first === undefined || last === undefined || last.atMs <= first.atMs)
    throw new Error('it was over too soon: give more --seconds');
  return {
    unitsPerSecond: ((last.units - first.units) * 1_000) / (last.atMs - first.atMs),
    cpuShare: (last.busy - first.busy) / (last.all - first.all),
  };
}

async function measure(workers: number): Promise<Figures> {
  const count = (share * workers * seconds) / unitsPerItem;
  say(`${workers} workers, ${count} items`);
  const engine = await startEngine(tables, config);
  const folder = await projectFolder({ dev: stackFile });
  const slow = fork(fileURLToPath(new URL('./backfill/slow-process.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] });
  const order: SlowOrders = {
    ...{ target: engine.endpoint, table: physicalName(omsConfig, config), count },
    ...{ answerMs: 20, items: 'products', partitions },
  };
  const words = ['migrate', '--to', '1', '--on', 'local', '--workers', String(workers), '--rate', String(share * workers)];
  let run: ChildProcess | undefined;
  try {
    const endpoint = await askSlowTable<string>(slow, order);
    run = spawn(process.execPath, [`${repository}/engine/cli/bin.js`, ...words, '--stack', 'dev', '--endpoint', endpoint], {
      ...{ cwd: folder.root, stdio: ['ignore', 'ignore', 'inherit'] },
    });
    const seen: (Seen & SlowFigures)[] = [];
    const ended = once(run, 'exit');
    while (run.exitCode === null) {
      seen.push(await looked(slow));
      await Promise.race([sleep(250), ended]);
    }
    const { indexed: _, ...last } = await looked(slow);
    if (run.exitCode !== 0 || last.units !== count * unitsPerItem)
      throw new Error(`it ended with ${run.exitCode}, ${last.units} units`);
    return { workers, ...steady(seen, last.units), throttles: last.throttles };
  } finally {
    run?.kill('SIGKILL');
    if (slow.connected) slow.disconnect();
    await engine.close();
    await folder.remove();
  }
}

const load = loadavg().map((value) => value.toFixed(2));
const all: Figures[] = [];
for (const workers of options.workers.split(',').map(Number)) all.push(await measure(workers));
const one = all[0];
const lines = all.map(({ workers, unitsPerSecond, cpuShare, throttles }) => {
  const linear = one === undefined ? 1 : unitsPerSecond / ((one.unitsPerSecond / one.workers) * workers);
  return [workers, unitsPerSecond.toFixed(0), linear.toFixed(2), `${(cpuShare * 100).toFixed(0)} %`, throttles].map(String);
});
process.stdout.write(
  `load average before the run: ${load.join(' ')}\n${table(['workers', 'units/s', 'of linear', 'CPU of the machine', 'throttles'], lines)}\n`,
);
