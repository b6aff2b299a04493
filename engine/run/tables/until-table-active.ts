import { TablewrightError } from '../../../tables/model/error.ts';
import type { Store } from '../../core/store/store.ts';

const maxActiveWaitMs = 120_000;
const pollMs = 250;

export interface ActiveEnvironment {
  readonly store: Pick<Store, 'describeTable'>;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Waits until the table and all its indexes are ACTIVE, and gives what it is. */
export async function untilTableActive(
  { store, sleep }: ActiveEnvironment,
  name: string,
  signal?: AbortSignal,
  most: number = maxActiveWaitMs,
) {
  for (let waited = 0; waited <= most; waited += pollMs) {
    signal?.throwIfAborted();
    const found = await store.describeTable(name, signal);
    if (found?.status === 'ACTIVE' && found.indexes.every((index) => index.status === 'ACTIVE')) return found;
    await sleep(pollMs, signal);
  }
  throw new TablewrightError('ENGINE_FAILED', `${name} was not ACTIVE after ${most / 1_000} s`, {
    next: "Run 'tablewright doctor' to see its state, then the command again.",
  });
}
