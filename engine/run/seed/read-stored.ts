import type { Item } from '../../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../../tables/model/canonical.ts';
import { keyOf } from '../../../tables/model/item.ts';
import type { WriteTable } from '../../core/write/write-request.ts';
import { batchGetAll } from '../store/read-keys.ts';
import type { SeedEnvironment } from './environment.ts';

/** The rows that are stored under the keys, by the keys' canonical texts. */
export async function readStored(
  { store, readGates: gates, sleep, random }: SeedEnvironment,
  table: WriteTable,
  keys: readonly Item[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Item>> {
  const { items } = await batchGetAll({ store, gates, sleep, random }, { table, keys, consistent: true }, signal);
  return new Map([...items.values()].map((item) => [canonicalItem(keyOf(table, item)), item]));
}
