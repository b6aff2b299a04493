/** Units that a store consumed, and when. */
export interface Effect {
  readonly atMs: number;
  readonly units: number;
}

/** The most units that any one-second window holds. */
export function busiestSecond(effects: readonly Effect[]): number {
  const sorted = effects.toSorted((a, b) => a.atMs - b.atMs);
  let most = 0;
  let sum = 0;
  let from = 0;
  for (const effect of sorted) {
    sum += effect.units;
    while ((sorted[from]?.atMs ?? 0) <= effect.atMs - 1_000) sum -= sorted[from++]?.units ?? 0;
    most = Math.max(most, sum);
  }
  return most;
}
