import { parseArgs } from 'node:util';
import { busiestSecond } from '../tests/support/busiest-second.ts';
import { openCapacityProxy } from '../tests/support/capacity-proxy.ts';
import { contentsOf, countOf, danglingIn, openRefreshBed, personalIn } from '../tests/support/refresh-run.ts';

/** A refresh of an empty test stack from a full one, once in a go and once killed again and again; both within budgets. */
const options = {
  items: { type: 'string', default: '100000' },
  share: { type: 'string', default: '5%' },
  readRate: { type: 'string', default: '2000' },
  rate: { type: 'string', default: '2000' },
  kills: { type: 'string', default: '5' },
} as const;

const { values } = parseArgs({ options });
const bed = await openRefreshBed(Number(values.items));
const print = (text: string) => process.stdout.write(`${text}\n`);

try {
  const source = await bed.itemsOf(bed.source, 'prod');
  print(`source: ${countOf(source)} items`);
  const target = await bed.emptyTarget();
  const [reads, writes] = [await openCapacityProxy(bed.source), await openCapacityProxy(target)];
  const words = (from: string, to: string) => [
    ...['refresh', '--from', 'prod', '--from-endpoint', from, '--to', 'dev', '--to-endpoint', to, '--mask', 'masks.yaml'],
    ...['--share', values.share, '--read-rate', values.readRate, '--rate', values.rate],
  ];
  const startedMs = performance.now();
  const done = await bed.run(words(reads.endpoint, writes.endpoint));
  const seconds = (performance.now() - startedMs) / 1_000;
  if (done.code !== 0) throw new Error(done.stderr);
  print(done.stdout.trim());
  const found = await bed.itemsOf(target, 'dev');
  print(
    `${countOf(found)} items in ${seconds.toFixed(1)} s; dangling ${danglingIn(found).length}; personal ${personalIn(source, found).length}`,
  );
  const used = [
    ...reads.take().map((one) => ({ ...one, side: 'from' })),
    ...writes.take().map((one) => ({ ...one, side: 'to' })),
  ];
  for (const [side, kind, limit] of [
    ['from', 'read', values.readRate],
    ['to', 'write', values.rate],
  ] as const) {
    const own = used.filter((one) => one.side === side && one.kind === kind && !one.table.includes('ledger'));
    const most = [...new Set(own.map(({ table }) => table))].map((name) =>
      busiestSecond(own.filter(({ table }) => table === name)),
    );
    print(`${side}: busiest second of a table ${Math.max(...most).toFixed(1)} ${kind} units of ${limit}`);
  }
  await Promise.all([reads.close(), writes.close()]);

  const other = await bed.emptyTarget();
  let kills = 0;
  let code: number | null = null;
  while (code !== 0) {
    const isLast = kills >= Number(values.kills);
    const ended = await bed.run(words(bed.source, other), (child) => {
      const timer = isLast
        ? undefined
        : setTimeout(() => child.kill('SIGKILL'), (seconds * 1_000 * (kills + 1)) / (Number(values.kills) + 1));
      child.on('close', () => clearTimeout(timer));
    });
    code = ended.code;
    if (code === null) kills += 1;
    else if (code !== 0) throw new Error(ended.stderr);
  }
  const same = contentsOf(await bed.itemsOf(other, 'dev')).join('\n') === contentsOf(found).join('\n');
  print(`killed ${kills} times and run again: the same contents: ${same}`);
} finally {
  await bed.close();
}
