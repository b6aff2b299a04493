import { parentPort } from 'node:worker_threads';
import type { Job } from './contender.ts';
import { contender } from './writer.ts';

/** One thread of `writer-threads`: a job, then the word to go. */
let load: (() => Promise<void>) | undefined;
parentPort?.on('message', async (message: Job | 'go') => {
  if (message === 'go') await load?.();
  else load = await contender.prepare(message);
  parentPort?.postMessage('done');
});
parentPort?.postMessage('ready');
