import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Contender, Job } from './contender.ts';

const workers: Worker[] = [];

/** The writer in several threads of one process, each with its share of the items, the connections and the budget. */
export const contender: Contender = {
  async prepare(job) {
    const { threads = 2, from, count, concurrency, connections = concurrency, unitsPerSecond } = job;
    while (workers.length < threads) workers.push(await openWorker());
    const share = Math.ceil(count / threads);
    const prepared = workers.map((worker, at) => {
      const first = Math.min(at * share, count);
      const own: Job = {
        ...job,
        from: from + first,
        count: Math.min(share, count - first),
        concurrency: Math.ceil(concurrency / threads),
        connections: Math.ceil(connections / threads),
        unitsPerSecond: unitsPerSecond === undefined ? undefined : unitsPerSecond / threads,
      };
      worker.postMessage(own);
      return once(worker, 'message');
    });
    await Promise.all(prepared);
    return async () => {
      const done = workers.map((worker) => once(worker, 'message'));
      for (const worker of workers) worker.postMessage('go');
      await Promise.all(done);
    };
  },
};

async function openWorker(): Promise<Worker> {
  const worker = new Worker(new URL('./writer-thread.js', import.meta.url));
  worker.unref();
  worker.on('error', (error) => {
    throw error;
  });
  await once(worker, 'message');
  return worker;
}
