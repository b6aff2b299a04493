import type { SlowTable } from './slow-table.ts';

/**
 * What a server process of the bench is to be: the fault proxy before an engine, a server that answers at once, one that answers
 * as a table on AWS does, or one that holds so many orders for a scan and takes every write.
 */
export type ServerOrder =
  | { readonly kind: 'proxy'; readonly target: string; readonly unprocessed: number }
  | { readonly kind: 'stub' }
  | ({ readonly kind: 'slow' } & SlowTable)
  | { readonly kind: 'pages'; readonly items: number };

/** Its other order: how much processor time it has taken so far, in microseconds. */
export const askForTime = 'processor time';
