/** npm run simulate -- [--seeds N] [--from S] [--jobs J] | --seed S | --plant NAME: plays seeds and says what was wrong. */
import { register } from 'node:module';
import { parseArgs } from 'node:util';
import { plantOf, plants } from './plants.ts';
import { findPlant, type Played, playSeeds } from './workers.ts';

const usage = `npm run simulate -- --seeds N [--from S] [--jobs J]   N seeds, each in two processes
npm run simulate -- --seed S                          one seed, with everything that happens in it
npm run simulate -- --plant NAME [--seeds N]          looks for a fault that is put into the engine:
${plants.map(({ name, what }) => `  ${name.padEnd(26)}${what}`).join('\n')}`;

class Wrong extends Error {}

function options() {
  const names = ['seeds', 'from', 'seed', 'jobs', 'plant'] as const;
  const { values } = parseArgs({ options: Object.fromEntries(names.map((name) => [name, { type: 'string' }] as const)) });
  const given = values as Readonly<Partial<Record<(typeof names)[number], string>>>;
  const whole = (name: (typeof names)[number], standard: number): number => {
    const value = given[name] === undefined ? standard : Number(given[name]);
    if (Number.isSafeInteger(value) && value >= 1) return value;
    throw new Wrong(`--${name}: expected a whole number from 1 on, found ${given[name]}`);
  };
  const alone = given.seed === undefined ? [] : (['seeds', 'from', 'jobs'] as const).filter((name) => given[name] !== undefined);
  if (alone.length > 0) throw new Wrong(`--${alone.join(', --')}: not beside --seed, which plays one`);
  if (given.plant !== undefined && given.jobs !== undefined) throw new Wrong('--jobs: not beside --plant, which is one process');
  const jobs = whole('jobs', 2);
  if (jobs < 2) throw new Wrong('--jobs: expected at least 2, because every seed is played in two processes');
  return {
    ...given,
    plant: given.plant,
    one: given.seed === undefined ? undefined : whole('seed', 1),
    jobs,
    count: whole('seeds', given.plant === undefined ? 300 : 500),
    from: whole('from', 1),
  };
}

/** One seed in this process, with its trace. */
async function replay(seed: number, plant: string | undefined): Promise<boolean> {
  if (plant !== undefined) {
    const root = new URL('../../', import.meta.url);
    const edits = plantOf(plant).edits.map(({ file, find, replace }) => ({ url: new URL(file, root).href, find, replace }));
    register('./plant-hooks.js', import.meta.url, { data: { edits } });
  }
  const { runSeed } = await import('./run-seed.ts');
  const { violations, digest, events, virtualMs } = await runSeed(seed, (line) => process.stdout.write(`${line}\n`));
  process.stdout.write(`seed ${seed}: ${events} events in ${(virtualMs / 1_000).toFixed(1)} s of its time, digest ${digest}\n`);
  if (violations.length === 0) process.stdout.write('Nothing was wrong.\n');
  return violations.length === 0;
}

async function playAll(count: number, from: number, jobs: number): Promise<boolean> {
  const startedMs = performance.now();
  const tally = new Map<string, number>();
  let played = 0;
  let failed = 0;
  const isTerminal = process.stdout.isTTY === true;
  const progress = (): void => {
    const rate = played / ((performance.now() - startedMs) / 1_000);
    const line = `${played} of ${count} seeds, ${failed} failed, ${rate.toFixed(1)} a second`;
    if (isTerminal) process.stdout.write(`\r\u001b[2K${line}`);
    else if (played % 500 === 0) process.stdout.write(`${line}\n`);
  };
  const show = (line: string): void => void process.stdout.write(isTerminal ? `\r\u001b[2K${line}\n` : `${line}\n`);
  const onPlayed = (result: Played): void => {
    played += 1;
    for (const [what, times] of Object.entries(result.tally)) tally.set(what, (tally.get(what) ?? 0) + times);
    const problems = problemsOf(result);
    if (problems.length > 0) {
      failed += 1;
      show(
        [
          `seed ${result.seed} failed:`,
          ...problems.map((one) => `  - ${one}`),
          `  → npm run simulate -- --seed ${result.seed}`,
        ].join('\n'),
      );
    }
    progress();
  };
  await playSeeds({ from, count, jobs, onPlayed });
  show(
    `What happened: ${[...tally]
      .filter(([what]) => !what.startsWith('event '))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([what, times]) => `${times} × ${what}`)
      .join(', ')}`,
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  show(`${played} seeds (${from} to ${from + count - 1}), each in two processes: ${failed} failed. ${seconds.toFixed(0)} s.`);
  return failed === 0;
}

export function problemsOf({ violations, isRepeatable }: Played): readonly string[] {
  return [
    ...violations.map(({ broken, what }) => `${broken}: ${what}`),
    ...(isRepeatable ? [] : ['a second process saw something else: the seed is not repeatable']),
  ];
}

async function lookFor(plant: string, from: number, count: number): Promise<boolean> {
  plantOf(plant);
  const found = await findPlant(plant, from, count);
  const [violation] = found?.violations ?? [];
  if (found === undefined || violation === undefined) {
    process.stdout.write(`${plant} was not found in ${count} seeds.\n`);
    return false;
  }
  process.stdout.write(`${plant} was found by seed ${found.seed}: ${violation.broken}: ${violation.what}\n`);
  process.stdout.write(`  → npm run simulate -- --seed ${found.seed} --plant ${plant}\n`);
  return true;
}

try {
  const { one, plant, from, count, jobs } = options();
  const isWell =
    one !== undefined
      ? await replay(one, plant)
      : plant !== undefined
        ? await lookFor(plant, from, count)
        : await playAll(count, from, jobs);
  process.exitCode = isWell ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}\n`);
  process.exitCode = 2;
}
