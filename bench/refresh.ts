import { parseArgs } from 'node:util';
import { windowShare } from '../engine/core/capacity/capacity-limiter.ts';
import type { Item } from '../tables/model/attribute-value.ts';
import type { Table } from '../tables/model/table.ts';
import { busiestSecond } from '../tests/support/busiest-second.ts';
import type { CapacityProxy, Consumption } from '../tests/support/capacity-proxy.ts';
import { seededRandom } from '../tests/support/fault-proxy.ts';
import { personalIn } from '../tests/support/personal-values.ts';
import {
  type KillableRefresh,
  openKillableRefresh,
  type RefreshPhase,
  type RefreshRun,
  refreshPhases,
  spreadKills,
} from '../tests/support/refresh-kills.ts';
import { contentsOf, countOf, danglingIn, openRefreshBed, stagedItems } from '../tests/support/refresh-run.ts';

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
  --kills N     so many kills with SIGKILL of the second refresh, over all phases, at moments drawn by --seed (${values.kills}, ${values.seed})`;

/** A budget is held if no second has more than the limiter's part of it; the rest is for rounding. */
const mostShare = windowShare + 0.001;
const startedMs = performance.now();
const seconds = (): number => (performance.now() - startedMs) / 1_000;
const say = (text: string): void => void process.stderr.write(`${seconds().toFixed(0).padStart(4)} s  ${text}\n`);
const print = (text: string): void => void process.stdout.write(`${text}\n`);
const verdicts: { readonly claim: string; readonly held: boolean; readonly found: string }[] = [];

type Contents = ReadonlyMap<Table, readonly Item[]>;
type Bed = Awaited<ReturnType<typeof openRefreshBed>>;

const args = (source: string, target: string): readonly string[] => [
  ...['refresh', '--from', 'prod', '--from-endpoint', source, '--to', 'dev', '--to-endpoint', target],
  ...['--mask', 'masks.yaml', '--share', values.share, '--read-rate', values.readRate, '--rate', values.rate],
];

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
  const found = `busiest second of a table ${most.toFixed(1)} ${kind} units of ${limit} (${((100 * most) / limit).toFixed(1)} %), ${all.toFixed(0)} in all`;
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
  const whole = await openKillableRefresh(bed, { args, say });
  const inOneGo = await whole.run();
  const expected = await bed.itemsOf(whole.target, 'dev');
  print(`${countOf(expected)} items of ${countOf(source)} in ${(inOneGo.elapsedMs / 1_000).toFixed(1)} s`);
  judgeContents('in a go', source, expected);
  judgeBudgets('in a go', whole.reads, whole.writes);
  await whole.close();

  const killed = await openKillableRefresh(bed, { args, say, staged: inOneGo.staged });
  const fell = await killAgainAndAgain(bed, killed, source, inOneGo);
  const found = await bed.itemsOf(killed.target, 'dev');
  judgeContents('killed', source, found);
  judgeBudgets('killed', killed.reads, killed.writes);
  await killed.close();
  const same = contentsOf(found).join('\n') === contentsOf(expected).join('\n');
  const counts = refreshPhases.map((phase) => `${fell.filter((one) => one === phase).length} ${phase}`).join(', ');
  const everywhere = (['reading', 'comparing', 'loading'] as const).every((phase) => fell.includes(phase));
  verdicts.push({
    claim: 'killed anywhere and resumed',
    held: same && everywhere && fell.length >= Number(values.kills),
    found: `killed ${fell.length} times (${counts}), the same contents: ${same}`,
  });
}

/** In which phases it was killed; the last run goes to its end. What is staged is looked at after each. */
async function killAgainAndAgain(
  bed: Bed,
  killed: KillableRefresh,
  source: Contents,
  whole: RefreshRun,
): Promise<readonly RefreshPhase[]> {
  const fell: RefreshPhase[] = [];
  const left = new Set<string>();
  for (const kill of [...spreadKills(Number(values.kills), whole, seededRandom(Number(values.seed))), undefined]) {
    const run = await killed.run(kill);
    if (run.ended) break;
    fell.push(run.phase);
    print(`kill ${fell.length}: ${run.phase}, pass ${run.pass}, after ${run.reads} reads and ${run.writes} writes`);
    for (const value of personalIn(source, await stagedItems(bed.root))) left.add(value);
  }
  const found = `${left.size} values found in what was staged at ${fell.length} kills`;
  verdicts.push({ claim: 'nothing personal (staged)', held: left.size === 0, found });
  return fell;
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
