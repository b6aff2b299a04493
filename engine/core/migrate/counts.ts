import type { ConsumedUnits, Counts } from '../../../tables/model/ledger/migration-records.ts';

export type { ConsumedUnits, Counts };

export const noCounts: Counts = {
  scanned: 0,
  foreign: 0,
  expired: 0,
  right: 0,
  changed: 0,
  gone: 0,
  dead: 0,
  conflicts: 0,
  kept: 0,
};

export const noUnits: ConsumedUnits = { read: 0, write: 0 };

export function addCounts(a: Counts, b: Partial<Counts>): Counts {
  const sum: Record<string, number> = { ...a };
  for (const [name, value] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + value;
  return sum as unknown as Counts;
}

export function addUnits(a: ConsumedUnits, b: Partial<ConsumedUnits>): ConsumedUnits {
  return { read: a.read + (b.read ?? 0), write: a.write + (b.write ?? 0) };
}
