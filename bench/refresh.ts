import { parseArgs } from 'node:util';
import type { Item } from '../tables/model/attribute-value.ts';
import type { Table } from '../tables/model/table.ts';
import { busiestSecond } from '../tests/support/busiest-second.ts';
import { type CapacityProxy, type Consumption, openCapacityProxy } from '../tests/support/capacity-proxy.ts';
import { seededRandom } from '../tests/support/fault-proxy.ts';
import { personalIn } from '../tests/support/personal-values.ts';
import { contentsOf, countOf, danglingIn, openRefreshBed } from '../tests/support/refresh-run.ts';

/** A refresh of an empty test stack from a full one, once in a go and once killed again and again; both within budgets. */
const { values } = parseArgs({
  options: {
    items: { type: 'string', default: '100000' },
    share: { type: 'string', default: '5%' },
    readRate: { type: 'string', default: '500' },
    rate: { type: 'string', default: '2000' },
    kills: { type: 'string', default: '12' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});

const help = `npm run bench:refresh -- [options]
  --items N     items of the source (${values.items})
  --share P%    share of the subjects (${values.share})
  --readRate N  read units a second of the source (${values.readRate})
  --rate N      write units a second of the target (${values.rate})
  --kills N     so many kills with SIGKILL of the second refresh, at moments drawn by --seed (${values.kills}, ${values.seed})`;

/** A budget is held if no second has more than this part of it. */
const mostShare = 1.1;
const startedMs = performance.now();
const seconds = (): number => (performance.now() - startedMs) / 1_000;
const say = (text: string): void => void process.stderr.write(`${seconds().toFixed(0).padStart(4)} s  ${text}\n`);
const print = (text: string): void => void process.stdout.write(`${text}\n`);
const verdicts: { readonly claim: string; readonly held: boolean; readonly found: string }[] = [];

type Contents = ReadonlyMap<Table, readonly Item[]>;
type Bed = Awaited<ReturnType<typeof openRefreshBed>>;

/** One target with what counts units before it and before the source. */
async function openRun(bed: Bed) {
  const target = await bed.emptyTarget();
  const [reads, writes] = [await openCapacityProxy(bed.source), await openCapacityProxy(target)];
  const args = [
    ...['refresh', '--from', 'prod', '--from-endpoint', reads.endpoint, '--to', 'dev', '--to-endpoint', writes.endpoint],
    ...['--mask', 'masks.yaml', '--share', values.share, '--read-rate', values.readRate, '--rate', values.rate],
  ];
  const once = async (killAfterMs?: number): Promise<boolean> => {
    const ended = await bed.run(args, (child) => {
      child.stderr?.on('data', (text: Buffer) => say(text.toString().trim().split('\n').at(-1) ?? ''));
      const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
      child.on('close', () => clearTimeout(timer));
    });
    if (ended.code === null) return false;
    if (ended.code !== 0) throw new Error(ended.stderr);
    say(ended.stdout.trim().split('\n').at(-1) ?? '');
    return true;
  };
  return { target, reads, writes, once };
}

function judgeBudget(
  name: string,
  { kind, limit }: { readonly kind: 'read' | 'write'; readonly limit: number },
  used: readonly Consumption[],
): void {
  const own = used.filter((one) => one.kind === kind && !one.table.includes('ledger'));
  const most = Math.max(
    ...[...new Set(own.map(({ table }) => table))].map((table) => busiestSecond(own.filter((one) => one.table === table))),
  );
  const all = own.reduce((sum, { units }) => sum + units, 0);
  const found = `busiest second of a table ${most.toFixed(1)} ${kind} units of ${limit}, ${all.toFixed(0)} in all`;
  verdicts.push({ claim: `budgets held (${name}, ${kind})`, held: most <= limit * mostShare, found });
}

function judgeBudgets(name: string, reads: CapacityProxy, writes: CapacityProxy): void {
  judgeBudget(name, { kind: 'read', limit: Number(values.readRate) }, reads.take());
  judgeBudget(name, { kind: 'write', limit: Number(values.rate) }, writes.take());
}

function judgeContents(name: string, source: Contents, found: Contents): void {
  const [dangling, personal] = [danglingIn(found), personalIn(source, found)];
  const examples = (all: readonly string[]): string => (all.length === 0 ? '' : `: ${all.slice(0, 3).join(', ')}`);
  verdicts.push({
    claim: `references whole (${name})`,
    held: dangling.length === 0 && countOf(found) > 0,
    found: `${dangling.length} of ${countOf(found)} items' references lead nowhere${examples(dangling)}`,
  });
  verdicts.push({
    claim: `nothing personal (${name})`,
    held: personal.length === 0,
    found: `${personal.length} values found${examples(personal)}`,
  });
}

async function measure(bed: Bed): Promise<void> {
  const source = await bed.itemsOf(bed.source, 'prod');
  say(`source: ${countOf(source)} items, ${danglingIn(source).length} references lead nowhere`);
  const whole = await openRun(bed);
  const beganMs = performance.now();
  await whole.once();
  const wholeMs = performance.now() - beganMs;
  const expected = await bed.itemsOf(whole.target, 'dev');
  print(`${countOf(expected)} items of ${countOf(source)} in ${(wholeMs / 1_000).toFixed(1)} s`);
  judgeContents('in a go', source, expected);
  judgeBudgets('in a go', whole.reads, whole.writes);
  await Promise.all([whole.reads.close(), whole.writes.close()]);

  const killed = await openRun(bed);
  const random = seededRandom(Number(values.seed));
  const sliceMs = (2 * wholeMs) / (Number(values.kills) + 1);
  let kills = 0;
  while (!(await killed.once(kills >= Number(values.kills) ? undefined : random() * sliceMs))) {
    kills += 1;
    say(`killed ${kills} times`);
  }
  const found = await bed.itemsOf(killed.target, 'dev');
  judgeContents('killed', source, found);
  judgeBudgets('killed', killed.reads, killed.writes);
  await Promise.all([killed.reads.close(), killed.writes.close()]);
  const same = contentsOf(found).join('\n') === contentsOf(expected).join('\n');
  verdicts.push({
    claim: 'killed anywhere and resumed',
    held: same && kills >= Number(values.kills),
    found: `killed ${kills} times, the same contents: ${same}`,
  });
}

if (values.help) print(help);
else {
  say(`filling a source with ${values.items} items`);
  const bed = await openRefreshBed(Number(values.items));
  try {
    await measure(bed);
  } finally {
    await bed.close();
  }
  for (const { claim, held, found } of verdicts) print(`${held ? 'held  ' : 'BROKEN'}  ${claim}: ${found}`);
  const broken = verdicts.filter(({ held }) => !held);
  print(
    broken.length === 0 ? `All held, ${seconds().toFixed(0)} s in all.` : `${broken.length} of ${verdicts.length} did not hold.`,
  );
  process.exitCode = broken.length === 0 ? 0 : 1;
}
