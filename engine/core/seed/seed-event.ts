import type { WriteProgress } from '../write/write-event.ts';
import type { Verdict } from './plan-seed.ts';

export type VerdictCounts = Readonly<Partial<Record<Verdict, number>>>;

/** What loading seeds tells while it works. Item contents are never part of it; keys are. */
export type SeedEvent =
  | { readonly kind: 'set-planned'; readonly set: string; readonly rows: number; readonly counts: VerdictCounts }
  /** A row that was left as it is, and why. */
  | { readonly kind: 'kept'; readonly set: string; readonly table: string; readonly key: string; readonly verdict: Verdict }
  | {
      readonly kind: 'volume-started';
      readonly set: string;
      readonly from: number;
      readonly count: number;
      readonly seed: number;
    }
  /** Of the writes of a set or volume, or of the deletes before them. */
  | {
      readonly kind: 'progress';
      readonly set: string;
      readonly phase: 'write' | 'prune';
      readonly total: number;
      readonly progress: WriteProgress;
    }
  | { readonly kind: 'dead-letter'; readonly set: string; readonly table: string; readonly key: string; readonly reason: string };

export function countVerdicts(verdicts: readonly Verdict[]): VerdictCounts {
  const counts: Partial<Record<Verdict, number>> = {};
  for (const verdict of verdicts) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}
