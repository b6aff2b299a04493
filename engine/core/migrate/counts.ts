/** What became of the items of a pass. `scanned` is the sum of all but `conflicts`. */
export interface Counts {
  readonly scanned: number;
  /** Of entities that the step is not for. */
  readonly foreign: number;
  readonly expired: number;
  readonly right: number;
  readonly changed: number;
  /** Deleted by somebody between the read and the write. */
  readonly gone: number;
  readonly dead: number;
  /** Times that somebody else's write came in between and an item was decided on anew. */
  readonly conflicts: number;
  /** Rollback only: somebody has changed the value since, so it stays. */
  readonly kept: number;
}

export interface ConsumedUnits {
  readonly read: number;
  /** Index writes included. */
  readonly write: number;
}

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
