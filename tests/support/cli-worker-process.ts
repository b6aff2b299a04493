import { main } from '../../engine/cli/main.js';
import type { Surroundings } from '../../engine/cli/surroundings.ts';
import type { WorkerOrder, WorkerReport } from './cli-worker.ts';

const running = new Map<number, AbortController>();

async function carryOut({ id, args, cwd }: Extract<WorkerOrder, { readonly kind: 'run' }>): Promise<void> {
  const stop = new AbortController();
  running.set(id, stop);
  let [stdout, stderr] = ['', ''];
  const surroundings: Surroundings = {
    cwd,
    env: process.env,
    write: (text) => {
      stdout += text;
    },
    writeError: (text) => {
      stderr += text;
    },
    signal: stop.signal,
    loadTypeScript: async () => undefined,
  };
  const startedMs = performance.now();
  const code = await main(args, surroundings).catch((error: unknown) => {
    stderr += String(error);
    return -1;
  });
  running.delete(id);
  process.send?.({ id, code, stdout, stderr, elapsedMs: performance.now() - startedMs } satisfies WorkerReport);
}

process.on('message', (order: WorkerOrder) => {
  if (order.kind === 'run') void carryOut(order);
  else running.get(order.id)?.abort();
});
process.on('disconnect', () => process.exit(0));
