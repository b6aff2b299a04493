import { tablesOf } from '../../../tables/stack-config.ts';
import { refuseProduction } from '../../run/seed/environment.ts';
import { loadSet, type SetReport } from '../../run/seed/load-set.ts';
import { loadVolume, type VolumeReport } from '../../run/seed/load-volume.ts';
import type { CommandFunction, CommandOptions, Context } from '../context.ts';
import { withStack } from '../open-stack.ts';
import { count } from '../progress.ts';
import { readStack } from '../read-stack.ts';
import { interruptedExitCode } from '../run-command.ts';
import { chooseSets } from '../seed/choose-sets.ts';
import { findSets, type SeedSet } from '../seed/find-sets.ts';
import { type ReadSet, readSets } from '../seed/read-sets.ts';
import { nowSeconds, openSeedSession, type SeedSession } from '../seed/seed-environment.ts';
import { seedProgress, setLines, volumeLines } from '../seed/show-report.ts';
import { keepMemorySteady } from '../steady-memory.ts';

/** The random seed of volume data unless another is given. */
export const defaultRandomSeed = 1;

interface Wish {
  readonly volume: number | undefined;
  readonly seed: number;
  readonly overwrite: boolean;
  readonly prune: boolean;
  readonly dryRun: boolean;
}

type Report = SetReport | VolumeReport;

const seed: CommandFunction = async (context, [names], options) => {
  const { common, root } = context;
  const config = await readStack(common.stack, root, context.catalogue);
  refuseProduction(config);
  const wish = wishOf(options);
  if (wish.volume !== undefined) keepMemorySteady();
  const all = await findSets(root);
  const chosen = chooseSets(all, {
    names: (names as readonly string[] | undefined) ?? [],
    system: options.system as string | undefined,
    stack: common.stack,
    tables: tablesOf(config, context.catalogue).map((table) => table.name),
    volume: wish.volume !== undefined,
  });
  const sets = wish.volume === undefined ? await readSets(root, chosen, all, nowSeconds()) : [];
  return withStack(context, {}, async (stack) => {
    const progress = seedProgress(context.output);
    const rate = options.rate as number | undefined;
    const concurrency = options.concurrency as number | undefined;
    const session = openSeedSession(stack, { root, emit: progress.emit, rate, concurrency });
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

function wishOf(options: CommandOptions): Wish {
  return {
    volume: options.volume as number | undefined,
    seed: (options.randomSeed as number | undefined) ?? defaultRandomSeed,
    overwrite: options.overwrite === true,
    prune: options.prune === true,
    dryRun: options.dryRun === true,
  };
}

/** One set after another; the rest is left when one was stopped. */
async function loadAll(
  { signal }: Context,
  { environment }: SeedSession,
  sets: readonly ReadSet[],
  chosen: readonly SeedSet[],
  wish: Wish,
): Promise<readonly Report[]> {
  const reports: Report[] = [];
  const stopped = () => reports.at(-1)?.outcome === 'aborted';
  for (const { set, declared } of sets) {
    if (!stopped()) reports.push(await loadSet(environment, { ...wish, name: set.name, times: set.times, declared }, signal));
  }
  for (const [at, { name, volume }] of (wish.volume === undefined ? [] : chosen).entries()) {
    const share = shareOf(wish.volume ?? 0, chosen.length, at);
    if (volume === undefined || share === 0 || stopped()) continue;
    reports.push(await loadVolume(environment, { ...wish, set: name, volume, count: share }, signal));
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
      `${count(deadLetters)} rows could not be written; they are in ${deadLetterPath} with the reasons.\n→ Correct what the reasons name and run the same command again: it writes what is missing.`,
    );
  }
  if (reports.some((report) => report.outcome === 'aborted')) {
    output.error(
      { error: 'INTERRUPTED' },
      'Stopped after the batches under way.\n→ Run the same command again: it goes on where it stopped.',
    );
    return interruptedExitCode;
  }
  return reports.every((report) => report.outcome === 'complete' || report.outcome === 'planned') ? 0 : 1;
}

export default seed;
