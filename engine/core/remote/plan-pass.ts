import { maxUnits } from '../../../tables/model/runner/order.ts';

/** Units per second of a budget that are worth a worker of their own. */
export const unitsPerWorker = 100;

/** Units per second; 0 stands for no limit. */
export interface Rates {
  readonly read: number;
  readonly write: number;
}

export interface PassPlan {
  readonly workers: number;
  /** Of one worker: all shares together are the budget. */
  readonly share: Rates;
  /** Shuffled, because neighbouring segments share partitions. */
  readonly units: readonly number[];
}

/** Who works on the units that are left, and within which budget. `random` gives numbers from 0 to 1. */
export function planPass(left: readonly number[], workers: number, budget: Rates, random: () => number): PassPlan {
  const limits = [budget.read, budget.write].filter((rate) => rate > 0).map((rate) => Math.floor(rate / unitsPerWorker));
  const units = shuffled(left, random).slice(0, maxUnits);
  const effective = Math.max(1, Math.min(workers, units.length, ...limits));
  return { workers: effective, share: { read: budget.read / effective, write: budget.write / effective }, units };
}

/** How many segments a pass of so many workers is cut into: some for each, so that none waits long for the last. */
export function segmentsFor(workers: number, usual: number): number {
  return Math.min(maxUnits, Math.max(usual, workers * segmentsPerWorker));
}

const segmentsPerWorker = 4;

function shuffled(all: readonly number[], random: () => number): readonly number[] {
  const order = [...all];
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = Math.min(at, Math.floor(random() * (at + 1)));
    const [a, b] = [order[at], order[other]];
    if (a === undefined || b === undefined) continue;
    order[at] = b;
    order[other] = a;
  }
  return order;
}
