import type { Item } from '../../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../../tables/model/canonical.ts';
import { keyOf } from '../../../tables/model/item.ts';
import { fullPageUnits } from '../../core/capacity/item-costs.ts';
import type { BatchGetAnswer, BatchGetRequest, GetAnswer, GetRequest, Store } from '../../core/store/store.ts';
import { maxBatchGetKeys } from '../../core/write/batch-limits.ts';
import type { WriteTable } from '../../core/write/write-request.ts';
import { costFactor, type ReadContext, sendRead } from './read-pages.ts';
import { waitBefore } from './wait-before.ts';

/** DynamoDB API reference, BatchGetItem: 16 MB in its answer. */
const fullBatchUnits = 16 * fullPageUnits;

/** Single items are rounded up one by one, so their cost is learned apart from that of pages. */
const kindOfCost = 'item';

export type GetContext = ReadContext & { readonly store: Pick<Store, 'getItem'> };
export type BatchGetContext = ReadContext & { readonly store: Pick<Store, 'batchGet'> };

export interface KeysOfTable {
  /** The physical name, and the key. */
  readonly table: Pick<WriteTable, 'name' | 'key'>;
  /** Keys, or whole items of which only the key counts; the same one twice is read once. */
  readonly keys: readonly Item[];
  readonly consistent: boolean;
}

export interface FoundItems {
  /** By `keyIdentity`; a key without an item is missing. */
  readonly items: ReadonlyMap<string, Item>;
  readonly units: number;
}

/** One item by its key. */
export function getOne(context: GetContext, request: GetRequest, signal?: AbortSignal): Promise<GetAnswer> {
  const factor = costFactor(request);
  return sendRead(
    context,
    request.TableName,
    (gate) => {
      const costs = gate.costs.of(kindOfCost);
      return {
        estimate: costs.unitsOf(1) * factor,
        surprise: costs.surprise * factor,
        send: (stop) => context.store.getItem(request, stop),
        learn: ({ units }) => costs.learn(1, units / factor),
      };
    },
    signal,
  );
}

/** The items of any number of keys. What the store leaves unprocessed is asked for again. */
export async function batchGetAll(
  context: BatchGetContext,
  { table, keys, consistent }: KeysOfTable,
  signal?: AbortSignal,
): Promise<FoundItems> {
  const wanted = [...new Map(keys.map((key) => [keyIdentity(table.key, key), keyOf(table, key)])).values()];
  const items = new Map<string, Item>();
  let units = 0;
  let tries = 0;
  while (wanted.length > 0) {
    const asked = wanted.length;
    const { answer, sent } = await sendBatch(context, table.name, wanted, consistent, signal);
    wanted.splice(0, sent, ...answer.unprocessed);
    for (const item of answer.items) items.set(keyIdentity(table.key, item), item);
    units += answer.units;
    const { length: left } = answer.unprocessed;
    tries = wanted.length < asked ? 0 : tries + 1;
    if (left > 0) await waitBefore(context, { table: table.name, items: left, cause: 'unprocessed', tries: tries + 1 }, signal);
  }
  return { items, units };
}

/** The first of the keys, as many as the budget allows in one request. */
async function sendBatch(
  context: BatchGetContext,
  table: string,
  keys: readonly Item[],
  consistent: boolean,
  signal: AbortSignal | undefined,
): Promise<{ readonly answer: BatchGetAnswer; readonly sent: number }> {
  const request: Omit<BatchGetRequest, 'Keys'> = { TableName: table, ...(consistent ? { ConsistentRead: true } : {}) };
  const factor = costFactor(request);
  let sent = 0;
  const answer = await sendRead<BatchGetAnswer>(
    context,
    table,
    (gate) => {
      const costs = gate.costs.of(kindOfCost);
      const most = Number.isFinite(gate.maxRequestUnits) ? costs.itemsWithin(gate.maxRequestUnits / factor) : maxBatchGetKeys;
      const Keys = keys.slice(0, Math.min(most, maxBatchGetKeys));
      sent = Keys.length;
      return {
        estimate: costs.unitsOf(Keys.length) * factor,
        surprise: costs.surprise * factor,
        send: (stop) => context.store.batchGet({ ...request, Keys }, stop),
        learn: ({ unprocessed, units }) => costs.learn(Keys.length - unprocessed.length, units / factor),
        // An answer that is full leaves keys over without anything being refused.
        refused: ({ unprocessed, units }) =>
          units >= fullBatchUnits * factor * 0.9 ? 0 : costs.unitsOf(unprocessed.length) * factor * Math.sign(unprocessed.length),
      };
    },
    signal,
  );
  return { answer, sent };
}
