import { TablewrightError } from '../../../tables/model/error.ts';
import type { Table } from '../../../tables/model/table.ts';
import { physicalName, type StackConfig } from '../../../tables/stack-config.ts';
import type { Store } from '../../core/store/store.ts';
import { createTableRequest } from '../../core/tables/create-table.ts';

export const maxActiveWaitMs = 120_000;
const pollMs = 250;

export interface EnsureEnvironment {
  readonly store: Store;
  readonly config: StackConfig;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Creates the table if it is missing, waits until it can be used and switches TTL on. Says whether it was created. */
export async function ensureTable(
  environment: EnsureEnvironment,
  table: Table,
  signal?: AbortSignal,
): Promise<'created' | 'present'> {
  const { store, config } = environment;
  const name = physicalName(table, config);
  const before = await store.describeTable(name, signal);
  if (before === undefined) await store.createTable(createTableRequest(table, config), signal);
  const found = await untilActive(environment, name, signal);
  if (table.ttl !== undefined && found.ttl.status === 'DISABLED') await store.enableTtl(name, table.ttl, signal);
  return before === undefined ? 'created' : 'present';
}

async function untilActive({ store, sleep }: EnsureEnvironment, name: string, signal?: AbortSignal) {
  for (let waited = 0; waited <= maxActiveWaitMs; waited += pollMs) {
    signal?.throwIfAborted();
    const found = await store.describeTable(name, signal);
    if (found?.status === 'ACTIVE' && found.indexes.every((index) => index.status === 'ACTIVE')) return found;
    await sleep(pollMs, signal);
  }
  throw new TablewrightError('ENGINE_FAILED', `${name} was not ACTIVE after ${maxActiveWaitMs / 1_000} s`, {
    next: "Run 'tablewright doctor' to see its state, then the command again.",
  });
}
