import type { Contender, Job } from './contender.ts';

/** What a contender's process reports when it is done. */
export interface Measured {
  readonly seconds: number;
  readonly cpuMicrosPerItem: number;
  readonly peakMegabytes: number;
}

export interface Order {
  /** The module of the contender, beside this one. */
  readonly module: string;
  readonly warmUp: Job;
  readonly job: Job;
}

/** Runs in a process of its own, so that time, processor and memory are the contender's alone. */
process.once('message', async (order: Order) => {
  const { contender } = (await import(order.module)) as { contender: Contender };
  const warmUp = await contender.prepare(order.warmUp);
  await warmUp();
  const load = await contender.prepare(order.job);
  const cpu = process.cpuUsage();
  const start = performance.now();
  await load();
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const measured: Measured = {
    seconds,
    cpuMicrosPerItem: (user + system) / order.job.count,
    peakMegabytes: process.resourceUsage().maxRSS / 1_024,
  };
  process.send?.(measured, () => process.exit(0));
});
