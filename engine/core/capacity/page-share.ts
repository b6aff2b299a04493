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
  /** Pages since the last look, and when that was. */
  #pages = 0;
  #lookedMs: number | undefined;
  /** When to look again. */
  #nextMs = 0;
  /** What was consumed, and by which size, before the one that is being tried. */
  #before: { readonly consumed: number; readonly step: number } | undefined;

  /** `windowShare`: the part of the rate that a window may hold. */
  at(nowMs: number, windowShare: number, use: PageUse): number {
    if (this.#lookedMs === undefined) {
      this.#lookedMs = nowMs;
      this.#nextMs = nowMs + windowMs;
    }
    if (nowMs >= this.#nextMs) {
      this.#nextMs = nowMs + this.#look(use, this.#pages / ((nowMs - this.#lookedMs) / 1_000));
      this.#lookedMs = nowMs;
      this.#pages = 0;
    }
    this.#pages += 1;
    return windowShare / (pagesPerWindow[this.#step] ?? 1);
  }

  /** Gives the time until the next look. */
  #look({ rate, consumedPerSecond, isRefused }: PageUse, pagesPerSecond: number): number {
    const before = this.#before;
    this.#before = undefined;
    if (isRefused || consumedPerSecond >= rate * usedShare) return trialMs;
    if (before !== undefined && consumedPerSecond < before.consumed * leastGain) {
      this.#step = before.step;
      return restMs;
    }
    if (this.#step === pagesPerWindow.length - 1) return restMs;
    this.#before = { consumed: consumedPerSecond, step: this.#step };
    this.#step = this.#stepFor(pagesPerSecond);
    return trialMs;
  }

  /** The next size, or at once the one that takes no more pages than came of late: trials cost what they leave unused. */
  #stepFor(pagesPerSecond: number): number {
    const fitting = pagesPerWindow.findIndex((pages) => pages <= pagesPerSecond);
    return Math.max(this.#step + 1, fitting === -1 ? pagesPerWindow.length - 1 : fitting);
  }
}
