import { holdMemory } from '../../engine/cli/hold-memory.js';
import type { BackfillContender, BackfillJob } from './job.ts';

export interface Measured {
  readonly seconds: number;
  readonly peakMegabytes: number;
  /** Before the first item: Node, the SDK, the compiled sources. */
  readonly idleMegabytes: number;
  readonly cpuMicrosPerItem: number;
}

/** Runs in a process of its own, so that time, processor and memory are the contender's alone. */
process.once('message', async ({ module, job }: { readonly module: string; readonly job: BackfillJob }) => {
  // As its command does, before the rest is loaded.
  if (module === './tablewright.js') holdMemory();
  const { contender } = (await import(module)) as { contender: BackfillContender };
  const work = await contender.prepare(job);
  const idleMegabytes = process.resourceUsage().maxRSS / 1_024;
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const measured: Measured = {
    seconds,
    idleMegabytes,
    peakMegabytes: process.resourceUsage().maxRSS / 1_024,
    cpuMicrosPerItem: (user + system) / job.count,
  };
  process.send?.(measured, () => process.exit(0));
});
