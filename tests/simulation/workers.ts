import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SeedResult } from './run-seed.ts';

/** A process that plays seeds. */
export class Worker {
  readonly #child: ChildProcess;
  readonly #died: Promise<never>;

  private constructor(child: ChildProcess, died: Promise<never>) {
    this.#child = child;
    this.#died = died;
  }

  static async open(plant?: string): Promise<Worker> {
    const path = fileURLToPath(new URL('./worker.ts', import.meta.url));
    const child = fork(path, plant === undefined ? [] : [plant], { execArgv: ['--import', 'tsx'], serialization: 'advanced' });
    const died = deathOf(child);
    await Promise.race([messageOf(child), died]);
    return new Worker(child, died);
  }

  /** One at a time. */
  async play(seed: number): Promise<SeedResult> {
    this.#child.send(seed);
    return (await Promise.race([messageOf(this.#child), this.#died])) as SeedResult;
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}

function messageOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => child.once('message', resolve));
}

function deathOf(child: ChildProcess): Promise<never> {
  const died = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`a worker of the simulation ended with ${code}`)));
  });
  // Nobody may be waiting at that moment.
  died.catch(() => undefined);
  return died;
}

/** A seed that was played in two processes. */
export interface Played extends SeedResult {
  /** The second process saw the very same. */
  readonly isRepeatable: boolean;
}

export interface PlayOptions {
  readonly from: number;
  readonly count: number;
  /** Processes, at least two: every seed is played in two of them. */
  readonly jobs: number;
  readonly onPlayed: (played: Played) => void;
}

/** Seeds that a pair of processes takes at a time: one plays them forwards, the other backwards. */
const seedsAtOnce = 10;

/** Plays every seed twice, in two processes and after other seeds, so that nothing of one can hide in the next. */
export async function playSeeds({ from, count, jobs, onPlayed }: PlayOptions): Promise<void> {
  let next = from;
  const take = (): readonly number[] => {
    const first = next;
    next = Math.min(from + count, next + seedsAtOnce);
    return Array.from({ length: next - first }, (_, at) => first + at);
  };
  const pair = async (): Promise<void> => {
    const [one, other] = await Promise.all([Worker.open(), Worker.open()]);
    try {
      for (let seeds = take(); seeds.length > 0; seeds = take()) {
        const [first, second] = await Promise.all([playAll(one, seeds), playAll(other, seeds.toReversed())]);
        for (const [at, result] of first.entries()) {
          onPlayed({ ...result, isRepeatable: result.digest === second.at(-1 - at)?.digest });
        }
      }
    } finally {
      one.close();
      other.close();
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.floor(jobs / 2)) }, pair));
}

async function playAll(worker: Worker, seeds: readonly number[]): Promise<readonly SeedResult[]> {
  const results: SeedResult[] = [];
  for (const seed of seeds) results.push(await worker.play(seed));
  return results;
}

/** The first seed that finds the plant; undefined when none does. */
export async function findPlant(plant: string, from: number, count: number): Promise<SeedResult | undefined> {
  const worker = await Worker.open(plant);
  try {
    for (let seed = from; seed < from + count; seed += 1) {
      const result = await worker.play(seed);
      if (result.violations.length > 0) return result;
    }
    return undefined;
  } finally {
    worker.close();
  }
}
