import type { Item } from '../../tables/model/attribute-value.ts';
import { orderItem } from '../load/items.ts';

/** What a contender gets: a table whose orders lack the keys of its index. */
export interface BackfillJob {
  readonly endpoint: string;
  readonly table: string;
  readonly count: number;
  /** Connections at once, or updates in flight, where a contender has the choice. */
  readonly connections?: number | undefined;
  /** The server is as far away as AWS. */
  readonly slow?: boolean | undefined;
}

/** One way to fill the index keys of a table in use. */
export interface BackfillContender {
  prepare(job: BackfillJob): Promise<() => Promise<void>>;
}

/** An order as it lies in the table before a run: without index keys, and never expiring. */
export function legacyOrder(n: number): Item {
  const { ttl: _, ...order } = orderItem(n);
  // One of the contenders finds only what bears its own mark.
  return { ...order, _type: { S: 'Order' } };
}

export const indexName = 'by_product';
/** Scans at once, and updates in flight, where a contender has a choice. */
export const scans = 8;
export const updatesInFlight = 50;
