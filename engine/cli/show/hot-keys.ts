import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { partitionWriteUnits } from '../../core/capacity/partition-ceilings.ts';
import { showNumber, showShare } from '../../core/show/numbers.ts';
import { sampleKeys } from '../../run/tables/sample-keys.ts';
import { budgetedRead } from '../budget-of.ts';
import { shownKey, shownPart } from '../migrate/render-partitions.ts';
import type { OpenStack } from '../open-stack.ts';
import type { Sheet } from './screen.ts';
import { type Column, renderTable } from './table.ts';

/** Items that are looked at of each table unless told otherwise. */
export const usualSample = 2_000;

export interface HotKeys {
  readonly table: string;
  /** The table itself, or an index. */
  readonly part: string;
  readonly keys: number;
  readonly exact: boolean;
  readonly largest: string | undefined;
  readonly share: number;
  /** Write units a second of the part that the partition of its largest key takes. */
  readonly unitsPerSecond: number;
  readonly sampled: number | undefined;
}

/** How the items of every table that has indexes fall on partition keys, by a sample within the read budget. */
export async function findHotKeys(
  stack: OpenStack,
  missing: ReadonlySet<string>,
  { sample = usualSample, readRate }: { readonly sample?: number | undefined; readonly readRate?: number | undefined },
  signal: AbortSignal,
): Promise<readonly HotKeys[]> {
  const reading = budgetedRead(stack, readRate);
  const found: HotKeys[] = [];
  for (const table of stack.tables) {
    const name = physicalName(table, stack.config);
    if (table.indexes.length === 0 || missing.has(name)) continue;
    signal.throwIfAborted();
    const { parts, items, complete } = await sampleKeys(reading, table, name, sample, signal);
    for (const { part, spread } of parts) {
      const { keys, exact, largest } = spread;
      const share = largest?.share ?? 1;
      const unitsPerSecond = partitionWriteUnits / share;
      const sampled = complete ? undefined : items;
      found.push({ table: name, part, keys, exact: exact && complete, largest: largest?.key, share, unitsPerSecond, sampled });
    }
  }
  return found;
}

const columns: readonly Column[] = [
  { title: 'table', least: 24 },
  { title: 'of', rank: 0, least: 18 },
  { title: 'partition keys', rank: 3, right: true },
  { title: 'largest', rank: 1, least: 14 },
  { title: 'WCU/s at most', rank: 2, right: true },
  { title: 'seen', rank: 4 },
];

/** The hottest first. */
export function renderHotKeys(page: Sheet, found: readonly HotKeys[]): string {
  if (found.length === 0) return 'No table with an index has items: there are no keys to look at.';
  const rows = found
    .toSorted((a, b) => b.share - a.share)
    .map(({ table, part, keys, exact, largest, share, unitsPerSecond, sampled }) => [
      table,
      shownPart(part),
      `${exact ? '' : 'some '}${showNumber(keys)}`,
      `${showShare(share)}${shownKey(largest)}`,
      showNumber(Math.floor(unitsPerSecond)),
      sampled === undefined ? 'all items' : `${showNumber(sampled)} items`,
    ]);
  return `${renderTable(page, columns, rows)}\nA partition takes ${showNumber(partitionWriteUnits)} write units a second: what the largest key gets of them bounds the rest.`;
}
