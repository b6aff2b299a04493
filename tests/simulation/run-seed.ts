import { setMaxListeners } from 'node:events';
import { checkDown, checkUp } from './check-goal.ts';
import { forbidGlobals } from './forbid-globals.ts';
import type { Violation } from './oracle.ts';
import { playEpisode } from './play-episode.ts';
import { Stuck } from './scheduler.ts';
import { World } from './world.ts';

export interface SeedResult {
  readonly seed: number;
  /** Of everything that happened: the same in every process. */
  readonly digest: string;
  readonly violations: readonly Violation[];
  readonly events: number;
  readonly virtualMs: number;
  /** What happened how often. */
  readonly tally: Readonly<Record<string, number>>;
}

const maxEvents = 300_000;

// As the command line does: every request in flight listens to a signal.
setMaxListeners(0);

/** Ends a simulation at the first thing that must not be: what comes after it means nothing. */
class Broken extends Error {}

/** Plays a seed from its begin to its end, and says what was wrong. The same seed gives the same result. */
export async function runSeed(seed: number, show?: (line: string) => void): Promise<SeedResult> {
  const world = new World(seed, show);
  const { report } = world.oracle.evidence;
  const allow = forbidGlobals((name) => report('effects go through ports', `${name} was called`));
  try {
    await world.scheduler.drive(play(world), { maxEvents }, () => {
      if (world.oracle.violations.length > 0) throw new Broken('something was wrong');
    });
  } catch (error) {
    if (error instanceof Stuck) report('every command ends as it should', error.message);
    else if (!(error instanceof Broken)) throw error;
  } finally {
    allow();
  }
  const { violations } = world.oracle;
  for (const { broken, what } of violations) world.trace.add(`BROKEN: ${broken}: ${what}`);
  return {
    seed,
    digest: world.trace.digest(),
    violations,
    events: world.scheduler.released,
    virtualMs: world.scheduler.nowMs,
    tally: Object.fromEntries([...world.tally].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

async function play(world: World): Promise<void> {
  for (const episode of world.scenario.episodes) {
    world.trace.add(`episode: ${episode.goal}, ${episode.machines.length} machines`);
    await playEpisode(world, episode);
    if (episode.goal === 'up') checkUp(world);
    else checkDown(world);
  }
}
