import { type CapacityWindow, windowMs } from './capacity-window.ts';

const adaptEveryMs = 100;
/** All refused halves the rate every `adaptEveryMs`, a small share lowers it a little. */
const backOffWeight = 0.5;
/** Per `adaptEveryMs`. Refusals below about 4 % are outweighed by it: that is where a table short of capacity settles. */
const climbFactor = 1.02;
/** As `climbFactor`, after a second without refusals. */
const fastClimbFactor = 1.1;
/** Before the first second is over, only a share above this is more than chance. */
const plainRefusedShare = 0.3;
/** Never below this part of a budget; without one, never below `minRate` units per second: some tables have no more. */
const minRateShare = 0.02;
const minRate = 2;

/**
 * Units per second that may be tried: the budget or a ceiling below it, until the store refuses some. Each look lowers the rate
 * by the share that was newly refused and lets it climb a little, so it settles where the table can just take it.
 */
export class AdaptiveRate {
  readonly #budget: number;
  readonly #window: CapacityWindow;
  readonly #startedMs: number;
  #adaptedMs: number;
  /** Since the last look. */
  #tried = 0;
  #refused = 0;
  #ceiling = Number.POSITIVE_INFINITY;
  unitsPerSecond: number;

  constructor(budget: number, window: CapacityWindow, nowMs: number) {
    this.#budget = budget;
    this.#window = window;
    this.#startedMs = nowMs;
    this.#adaptedMs = nowMs;
    this.unitsPerSecond = budget;
  }

  get isUnlimited(): boolean {
    return this.unitsPerSecond === Number.POSITIVE_INFINITY;
  }

  /** The share of the last second's units that was refused. */
  get refusedShare(): number {
    const { accepted, refused } = this.#window;
    return refused === 0 ? 0 : refused / (accepted + refused);
  }

  /** From now on never more than this. The rate falls to it at once, and climbs to a higher one as after refusals. */
  limit(ceiling: number): void {
    this.#ceiling = ceiling;
    this.unitsPerSecond = Math.min(this.unitsPerSecond, ceiling);
  }

  record(accepted: number, refused: number): void {
    this.#tried += accepted + refused;
    this.#refused += refused;
  }

  /** Looks at what was refused, if it is time to. `heldUpMs` is when a request last had to wait for the rate. */
  adapt(nowMs: number, heldUpMs: number): void {
    const steps = Math.floor((nowMs - this.#adaptedMs) / adaptEveryMs);
    if (steps <= 0) return;
    this.#adaptedMs += steps * adaptEveryMs;
    this.#window.advance(nowMs);
    const rate = this.isUnlimited ? this.#firstRate(nowMs) : this.#nextRate(steps);
    this.unitsPerSecond = Math.min(this.#budget, this.#ceiling, Math.max(this.#floor(), rate));
    this.#tried = 0;
    this.#refused = 0;
    // For a second the rate was not what slowed the work down.
    const isIdle = this.#window.refused === 0 && nowMs - heldUpMs > windowMs;
    if (isIdle && this.#budget === Number.POSITIVE_INFINITY) this.unitsPerSecond = this.#budget;
  }

  /** Without a budget there is no rate to lower until refusals show that one is needed. */
  #firstRate(nowMs: number): number {
    const kept = 1 - this.refusedShare * backOffWeight;
    const isChance = this.refusedShare < plainRefusedShare && nowMs - this.#startedMs < windowMs;
    if (kept * climbFactor >= 1 || isChance) return Number.POSITIVE_INFINITY;
    const { accepted, refused } = this.#window;
    return Math.max(accepted + refused, (this.#tried * 1_000) / adaptEveryMs) * kept;
  }

  #nextRate(steps: number): number {
    const climb = this.#window.refused === 0 ? fastClimbFactor : climbFactor;
    return this.unitsPerSecond * (1 - this.#newlyRefusedShare() * backOffWeight) * climb ** steps;
  }

  /**
   * The share refused since the last look. Less work than the rate allows counts as if it were more: one refusal alone
   * says little. Only new refusals count, so that none lowers the rate twice.
   */
  #newlyRefusedShare(): number {
    return this.#refused === 0 ? 0 : this.#refused / Math.max(this.#tried, (this.unitsPerSecond * adaptEveryMs) / 1_000);
  }

  #floor(): number {
    return this.#budget === Number.POSITIVE_INFINITY ? minRate : this.#budget * minRateShare;
  }
}
