import { windowMs } from './capacity-window.ts';

/** Pages that a window is to hold, from the smallest ones on; each number of them fills it without a rest. */
const pagesPerWindow = [21, 14, 10, 7, 5] as const;
/** What counts as using the budget. */
const usedShare = 0.96;
/** A size is tried for so long: the first second still holds pages of the one before. */
const trialMs = 2 * windowMs;
/** Larger pages must bring at least this, or they only make the seconds uneven. */
const leastGain = 1.02;
/** What brought nothing is tried again after so long. */
const restMs = 20 * windowMs;

export interface PageUse {
  /** Units per second at present. */
  readonly rate: number;
  readonly consumedPerSecond: number;
  readonly isRefused: boolean;
}

/**
 * How large pages may be against a second's budget. Small ones keep every second near it; but where each takes long, however
 * small, they leave much of it unused. So pages grow step by step while that is so and while it helps.
 */
export class PageShare {
  #step = 0;
  /** When to look again. */
  #nextMs: number;
  /** What was consumed before the step that is being tried. */
  #before: number | undefined;

  constructor(nowMs: number) {
    // The first pages are single items, to learn what they cost.
    this.#nextMs = nowMs + trialMs;
  }

  /** `windowShare`: the part of the rate that a window may hold. */
  at(nowMs: number, windowShare: number, use: PageUse): number {
    if (nowMs >= this.#nextMs) this.#nextMs = nowMs + this.#look(use);
    return windowShare / (pagesPerWindow[this.#step] ?? 1);
  }

  /** Gives the time until the next look. */
  #look({ rate, consumedPerSecond, isRefused }: PageUse): number {
    const before = this.#before;
    this.#before = undefined;
    if (isRefused || consumedPerSecond >= rate * usedShare) return trialMs;
    if (before !== undefined && consumedPerSecond < before * leastGain) {
      this.#step -= 1;
      return restMs;
    }
    if (this.#step === pagesPerWindow.length - 1) return restMs;
    this.#step += 1;
    this.#before = consumedPerSecond;
    return trialMs;
  }
}
