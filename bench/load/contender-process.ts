import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Contender, Job } from './contender.ts';

/** What a contender's process reports after each load. */
export interface Measured {
  readonly seconds: number;
  readonly cpuMicros: number;
  /** The most this process has had so far. */
  readonly peakMegabytes: number;
}

/**
 * What preparing made is not the load's to move out of the way of new things. Small collections only: a large one throws compiled code away.
 */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void;

/** Runs in a process of its own, so that time, processor and memory are the contender's alone. Ends with its parent. */
const [, , module = ''] = process.argv;
const { contender } = (await import(module)) as { contender: Contender };
process.on('message', async (job: Job) => {
  const load = await contender.prepare(job);
  // What survives two of them is old.
  for (let time = 0; time < 2; time += 1) collect({ type: 'minor' });
  const cpu = process.cpuUsage();
  const start = performance.now();
  await load();
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const peakMegabytes = process.resourceUsage().maxRSS / 1_024;
  const measured: Measured = { seconds, cpuMicros: user + system, peakMegabytes };
  process.send?.(measured);
});
process.once('disconnect', () => process.exit(0));
