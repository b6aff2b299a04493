import type { SchemaStore, TableSchema } from '../../../tables/model/transfer/table-schema.ts';
import type { Lacks } from '../../core/store/features.ts';
import type { Store } from '../../core/store/store.ts';
import { untilTableActive } from '../tables/until-table-active.ts';

/** A table with many indexes takes minutes. */
const maxActiveWaitMs = 600_000;

export interface MakeTableEnvironment {
  readonly store: Store;
  readonly schemas: SchemaStore;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** What the server cannot do; nothing when left out. */
  readonly lacks?: Lacks;
}

/**
 * Makes the table as the schema says if it is missing, and waits until it can be written to. Killed between two calls and run
 * again it does what is left: TTL is looked at, not remembered. Says whether it made the table.
 */
export async function makeTable(
  environment: MakeTableEnvironment,
  tableName: string,
  schema: TableSchema,
  signal?: AbortSignal,
): Promise<boolean> {
  const { store, schemas, lacks } = environment;
  const missing = (await store.describeTable(tableName, signal)) === undefined;
  if (missing) await schemas.create(schema, tableName, signal);
  const found = await untilTableActive(environment, tableName, signal, maxActiveWaitMs);
  const ttl = schema.TimeToLive?.AttributeName;
  if (ttl !== undefined && found.ttl.status === 'DISABLED' && lacks?.has('TTL') !== true) {
    await store.enableTtl(tableName, ttl, signal);
  }
  return missing;
}
