import type { Item } from '../../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../../tables/model/canonical.ts';
import { keyOf } from '../../../tables/model/item.ts';
import type { WriteTable } from '../../core/write/write-request.ts';
import type { SeedEnvironment } from './environment.ts';

/** BatchGetItem API reference: at most 100 keys. */
export const maxKeysPerGet = 100;
const pauseMs = 50;
const maxPauseMs = 2_000;

/** The hashes of the rows that are stored under the keys, by the keys' canonical texts. */
export async function readStored(
  environment: SeedEnvironment,
  table: WriteTable,
  keys: readonly Item[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const distinct = [...new Map(keys.map((key) => [canonicalItem(key), key])).values()];
  for (let at = 0; at < distinct.length; at += maxKeysPerGet) {
    let wanted: readonly Item[] = distinct.slice(at, at + maxKeysPerGet);
    for (let pause = pauseMs; wanted.length > 0; pause = Math.min(pause * 2, maxPauseMs)) {
      signal?.throwIfAborted();
      const answer = await environment.store.batchGet({ TableName: table.name, Keys: [...wanted], ConsistentRead: true }, signal);
      for (const item of answer.items) found.set(canonicalItem(keyOf(table, item)), environment.digest(canonicalItem(item)));
      wanted = answer.unprocessed;
      if (wanted.length > 0) await environment.sleep(pause, signal);
    }
  }
  return found;
}
