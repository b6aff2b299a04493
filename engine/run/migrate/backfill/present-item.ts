import type { Item } from '../../../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../../../tables/model/canonical.ts';
import { TablewrightError } from '../../../../tables/model/error.ts';
import type { Table } from '../../../../tables/model/table.ts';
import { decideRetry } from '../../../core/store/retry-policy.ts';
import { maxBatchGetKeys } from '../../store/read-keys.ts';
import type { MigrateEnvironment } from '../environment.ts';

type PresentEnvironment = Pick<MigrateEnvironment, 'sleep' | 'random' | 'emit'> & {
  readonly data: Pick<MigrateEnvironment['data'], 'batchGet'>;
  readonly tuning: Pick<MigrateEnvironment['tuning'], 'retry'>;
};

/** The items with these keys as they are now, by `keyIdentity`; a key without an item is missing from the map. */
export async function presentItems(
  environment: PresentEnvironment,
  table: Table,
  tableName: string,
  keys: readonly Item[],
): Promise<{ readonly items: ReadonlyMap<string, Item>; readonly units: number }> {
  const items = new Map<string, Item>();
  let units = 0;
  for (let at = 0; at < keys.length; at += maxBatchGetKeys) {
    let left: readonly Item[] = keys.slice(at, at + maxBatchGetKeys);
    for (let attempt = 1; left.length > 0; attempt += 1) {
      const answer = await environment.data.batchGet({ TableName: tableName, Keys: [...left], ConsistentRead: true });
      for (const item of answer.items) items.set(keyIdentity(table.key, item), item);
      units += answer.units;
      left = answer.unprocessed;
      if (left.length > 0) await waitBefore(environment, tableName, attempt, left.length);
    }
  }
  return { items, units };
}

async function waitBefore(environment: PresentEnvironment, tableName: string, attempt: number, left: number): Promise<void> {
  const decision = decideRetry(attempt, 'unprocessed', environment.tuning.retry, environment.random());
  if (decision.kind === 'give-up') {
    throw new TablewrightError('STORE_FAILED', `${tableName}: ${left} records were still unread after ${attempt} tries`, {
      next: "The table is throttled; run 'tablewright migrate' again, it goes on from the last checkpoint.",
    });
  }
  environment.emit({ kind: 'retry', table: tableName, items: left, cause: 'unprocessed', delayMs: decision.delayMs });
  await environment.sleep(decision.delayMs);
}
