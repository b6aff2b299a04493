import type { WriteProgress } from '../write/write-event.ts';
import type { Verdict } from './plan-seed.ts';

export type VerdictCounts = Readonly<Partial<Record<Verdict, number>>>;

/** What loading seeds tells while it works. Item contents are never part of it; keys are. */
export type SeedEvent =
  /** `rows`: how many its files hold, where that is known. */
  | { readonly kind: 'set-started'; readonly set: string; readonly rows: number | undefined }
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
