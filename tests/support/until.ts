import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until it is so; a minute at most. */
export async function until(what: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await what()) return;
    await sleep(100);
  }
  throw new Error('it did not come to that in a minute');
}
