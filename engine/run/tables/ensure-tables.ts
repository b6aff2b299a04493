import { physicalName, type StackConfig } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import type { Lacks } from '../../core/store/features.ts';
import type { Store } from '../../core/store/store.ts';
import { addIndexRequest, createTableRequest } from '../../core/tables/create-table.ts';
import { untilTableActive } from './until-table-active.ts';

export interface EnsureEnvironment {
  readonly store: Store;
  readonly config: StackConfig;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** What the server cannot do; nothing when left out. */
  readonly lacks?: Lacks;
}

export interface Ensured {
  /** The table was missing. */
  readonly created: boolean;
  /** The indexes that the table was without. */
  readonly indexes: readonly string[];
}

/** Creates the table if it is missing, adds the indexes that it is without, and switches TTL on. Says what it made. */
export async function ensureTable(environment: EnsureEnvironment, table: Table, signal?: AbortSignal): Promise<Ensured> {
  const { store, config, lacks } = environment;
  const name = physicalName(table, config);
  const before = await store.describeTable(name, signal);
  if (before === undefined) await store.createTable(createTableRequest(table, config), signal);
  let found = await untilTableActive(environment, name, signal);
  const missing = table.indexes.filter((index) => !found.indexes.some((present) => present.name === index.name));
  for (const index of missing) {
    await store.addIndex(addIndexRequest(table, config, index, found), signal);
    found = await untilTableActive(environment, name, signal);
  }
  const wantsTtl = table.ttl !== undefined && found.ttl.status === 'DISABLED' && lacks?.has('TTL') !== true;
  if (table.ttl !== undefined && wantsTtl) await store.enableTtl(name, table.ttl, signal);
  return { created: before === undefined, indexes: missing.map((index) => index.name) };
}
