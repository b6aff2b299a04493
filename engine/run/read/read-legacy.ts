import type { Item } from '../../../tables/model/attribute-value.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import { compareWhole, planLegacy } from '../../core/read/plan-legacy.ts';
import { consistencyOf, type ReadEnvironment, type ReadOptions, tableOf } from './read-pattern.ts';

export interface LegacyAnswer {
  /** Every match in the client's order, before any limit. */
  readonly items: readonly Item[];
  /** The pattern's own limit. */
  readonly limit: number | undefined;
  readonly units: number;
  readonly pages: number;
}

/** Answers a pattern as it was answered before its index: reads the whole table, keeps what matches, sorts it. */
export async function readLegacy(
  environment: ReadEnvironment,
  pattern: Pattern,
  params: Readonly<Record<string, unknown>>,
  options: Pick<ReadOptions, 'signal' | 'consistent'> = {},
): Promise<LegacyAnswer> {
  const table = tableOf(environment.tables, pattern);
  const plan = planLegacy(table, pattern, params, environment.names);
  const items: Item[] = [];
  let units = 0;
  let pages = 0;
  let request = { ...plan.request, ...consistencyOf(pattern, options) };
  for (;;) {
    options.signal?.throwIfAborted();
    const page = await environment.store.scan(request, options.signal);
    items.push(...page.items);
    units += page.units;
    pages += 1;
    if (page.next === undefined) break;
    request = { ...request, ExclusiveStartKey: page.next };
  }
  return { items: items.sort((a, b) => compareWhole(table, plan.sort, a, b)), limit: plan.limit, units, pages };
}

/** The part of an answer that a reader gets: after a position, and no more than the limits allow. */
export function sliceAnswer(
  items: readonly Item[],
  isAfter: (item: Item) => boolean,
  most: number,
): { readonly items: readonly Item[]; readonly more: boolean } {
  const begin = items.findIndex(isAfter);
  const rest = begin === -1 ? [] : items.slice(begin);
  return { items: rest.slice(0, most), more: rest.length > most };
}
