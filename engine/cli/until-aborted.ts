import { once } from 'node:events';

/** Waits for a signal, and keeps the process alive meanwhile, which waiting for one alone does not. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  const alive = setInterval(() => undefined, 60_000);
  if (!signal.aborted) await once(signal, 'abort');
  clearInterval(alive);
}
