import type { KeySpread } from '../capacity/key-counts.ts';
import { partitionWriteUnits } from '../capacity/partition-ceilings.ts';

/** What is written to the table (`''`) or to an index, and how it falls on its partition keys. */
export interface PartSpread {
  readonly part: string;
  readonly spread: KeySpread;
  readonly unitsPerEntry: number;
}

/** What one partition key lets through. */
export interface PartitionLimit {
  readonly part: string;
  readonly keys: number;
  /** Every key was counted; otherwise their number is an estimate. */
  readonly exact: boolean;
  /** The key with the most entries, and its part of them. */
  readonly largest: string | undefined;
  readonly share: number;
  /** Of the part's own units. */
  readonly ownUnitsPerSecond: number;
  /** Of all units of the step, which go out together. */
  readonly unitsPerSecond: number;
}

export interface PartitionPlan {
  readonly limits: readonly PartitionLimit[];
  /** A scan reads the table's keys one after another, so each segment writes to one partition at a time. */
  readonly segments: number;
  readonly segmentUnitsPerSecond: number;
  /** The least of them all, and what sets it: a part, or `segments`. */
  readonly unitsPerSecond: number;
  readonly heldBy: string;
}

/**
 * The rate that partitions allow. `isSample`: of a sample the table's own keys tell nothing, because items of one key lie
 * together and a sample meets some of them whole.
 */
export function planPartitions(
  parts: readonly PartSpread[],
  totalUnits: number,
  segments: number,
  isSample: boolean,
): PartitionPlan | undefined {
  const unitsOf = (name: string) =>
    parts.filter(({ part }) => part === name).reduce((sum, { spread, unitsPerEntry }) => sum + spread.total * unitsPerEntry, 0);
  const tableUnits = unitsOf('');
  if (tableUnits === 0) return undefined;
  const limits = parts
    .filter(({ part, spread }) => spread.total > 0 && !(part === '' && isSample))
    .map(({ part, spread }) => limitOf(part, spread, totalUnits / unitsOf(part)));
  const segmentUnitsPerSecond = (segments * partitionWriteUnits * totalUnits) / tableUnits;
  const bySegments = { part: 'segments', unitsPerSecond: segmentUnitsPerSecond };
  const lowest = limits.reduce<Pick<PartitionLimit, 'part' | 'unitsPerSecond'>>(
    (least, limit) => (limit.unitsPerSecond < least.unitsPerSecond ? limit : least),
    bySegments,
  );
  return { limits, segments, segmentUnitsPerSecond, unitsPerSecond: lowest.unitsPerSecond, heldBy: lowest.part };
}

/** `perOwn`: units of the step for each of the part's own. */
function limitOf(part: string, { keys, exact, largest }: KeySpread, perOwn: number): PartitionLimit {
  const share = largest?.share ?? 1;
  const ownUnitsPerSecond = partitionWriteUnits / share;
  return { part, keys, exact, largest: largest?.key, share, ownUnitsPerSecond, unitsPerSecond: ownUnitsPerSecond * perOwn };
}
