import { tablesOf } from '../../../tables/model/stack/stack-config.ts';
import { plural } from '../../core/show/numbers.ts';
import { loadSet, type SetReport } from '../../run/seed/load-set.ts';
import { loadVolume, type VolumeReport } from '../../run/seed/load-volume.ts';
import { refuseProduction } from '../../run/seed/refuse-production.ts';
import { confirmDeletion } from '../confirm-deletion.ts';
import type { Action, Context, Given } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { withStack } from '../open-stack.ts';
import { readStack } from '../read-stack.ts';
import { chooseSets } from '../seed/choose-sets.ts';
import { findSets, type SeedSet } from '../seed/find-sets.ts';
import { type ReadSet, readSets } from '../seed/read-sets.ts';
import { nowSeconds, openSeedSession, type SeedSession } from '../seed/seed-environment.ts';
import { seedProgress, setLines, volumeLines } from '../seed/show-report.ts';
import { clearAlone, fixtureGrowthPercent, keepMemorySteady } from '../steady-memory.ts';
import type spec from './seed.spec.js';

interface Wish {
  /** Generated rows instead of the fixtures. */
  readonly volume: { readonly count: number; readonly seed: number } | undefined;
  readonly overwrite: boolean;
  readonly prune: boolean;
  readonly dryRun: boolean;
  /** Rows may be deleted without a question. */
  readonly yes: boolean;
}

type Report = SetReport | VolumeReport;

const seed: Action<typeof spec> = async (context, given) => {
  const { common, root } = context;
  const config = await readStack(common.stack, root, context.catalogue, context.project);
  refuseProduction(config);
  const wish = wishOf(given);
  keepMemorySteady(wish.volume === undefined ? fixtureGrowthPercent : undefined);
  if (wish.volume === undefined) clearAlone();
  const all = await findSets(context);
  const chosen = chooseSets(all, {
    names: given.sets,
    system: given.system,
    stack: common.stack,
    tables: tablesOf(config, context.catalogue).map((table) => table.name),
    volume: wish.volume !== undefined,
  });
  const sets = wish.volume === undefined ? await readSets(root, chosen, all, nowSeconds()) : [];
  return withStack(context, {}, async (stack) => {
    const progress = seedProgress(context.output);
    const { rate, concurrency } = given;
    const threads = given.mode === 'volume' ? given.threads : undefined;
    const session = openSeedSession(stack, { root, emit: progress.emit, signal: context.signal, rate, concurrency, threads });
    try {
      const reports = await loadAll(context, session, sets, chosen, wish);
      progress.stop();
      return conclude(context, reports, session);
    } finally {
      progress.stop();
      await session.close();
    }
  });
};

function wishOf(given: Given<typeof spec>): Wish {
  const { overwrite, prune, dryRun, yes } = given;
  const volume = given.mode === 'volume' ? { count: given.volume, seed: given.randomSeed } : undefined;
  return { volume, overwrite, prune, dryRun, yes };
}

/** So many rows are deleted without a question. */
const handfulRows = 10;

function pruneGuard(context: Context, { yes }: Wish, set: string) {
  return async (rows: number): Promise<void> => {
    if (rows > handfulRows) await confirmDeletion(context, yes, `${set}: --prune deletes ${plural(rows, 'row')}.`);
  };
}

/** One set after another; the rest is left when one was interrupted. */
async function loadAll(
  context: Context,
  { environment }: SeedSession,
  sets: readonly ReadSet[],
  chosen: readonly SeedSet[],
  wish: Wish,
): Promise<readonly Report[]> {
  const { signal } = context;
  const reports: Report[] = [];
  const isInterrupted = () => reports.at(-1)?.outcome === 'interrupted';
  for (const { set, rows, declared } of sets) {
    if (isInterrupted()) break;
    const confirmPrune = pruneGuard(context, wish, set.name);
    reports.push(await loadSet(environment, { ...wish, name: set.name, times: set.times, rows, declared, confirmPrune }, signal));
  }
  if (wish.volume === undefined) return reports;
  const { count: total, seed } = wish.volume;
  for (const [at, { name, volume }] of chosen.entries()) {
    const share = shareOf(total, chosen.length, at);
    if (volume === undefined || share === 0 || isInterrupted()) continue;
    const confirmPrune = pruneGuard(context, wish, name);
    reports.push(await loadVolume(environment, { ...wish, set: name, volume, seed, count: share, confirmPrune }, signal));
  }
  return reports;
}

/** The volume asked for is that of all sets together. */
function shareOf(total: number, parts: number, at: number): number {
  return Math.floor((total * (at + 1)) / parts) - Math.floor((total * at) / parts);
}

function conclude({ output }: Context, reports: readonly Report[], { deadLetterPath }: SeedSession): number {
  const deadLetters = reports.reduce((sum, report) => sum + report.deadLettered, 0);
  const result = {
    event: 'seeded',
    sets: reports,
    deadLetters,
    ...(deadLetters === 0 ? {} : { deadLetterFile: deadLetterPath }),
  };
  output.result(result, () =>
    reports.flatMap((report) => ('kept' in report ? setLines(report) : volumeLines(report))).join('\n'),
  );
  if (deadLetters > 0) {
    output.error(
      { error: 'DEAD_LETTERS', deadLetters, file: deadLetterPath },
      `${plural(deadLetters, 'row')} could not be written, kept in ${deadLetterPath} with the reasons.\n→ Correct what the reasons name and run the same command again: it writes what is missing.`,
    );
  }
  if (reports.some((report) => report.outcome === 'interrupted')) {
    output.error(
      { error: 'INTERRUPTED' },
      'Interrupted after the batches under way.\n→ Run the same command again: it goes on where it stopped.',
    );
    return exitCodes.interrupted;
  }
  return reports.every((report) => report.outcome === 'complete' || report.outcome === 'planned') ? 0 : 1;
}

export default seed;
