import type { ThrottlingReason } from '../store/throttling.ts';
import { AdaptiveRate } from './adaptive-rate.ts';
import { CapacityWindow, windowMs } from './capacity-window.ts';
import { type KeyLoad, type PartitionCeiling, PartitionCeilings } from './partition-ceilings.ts';
import { RefusalReasons } from './refusal-reasons.ts';

/** Why work is slower than it could be. */
export type SlowReason =
  /** The first answer is awaited, to learn what the work really costs. */
  | { readonly kind: 'learning' }
  /** Requests wait for the budget. */
  | { readonly kind: 'budget'; readonly unitsPerSecond: number }
  /** One partition key gets so much of what goes out that its partition takes no more. */
  | ({ readonly kind: 'partition' } & PartitionCeiling)
  /** The store refused this share of the last second's units; the rate was lowered to it. Why, as far as the store says. */
  | {
      readonly kind: 'refused';
      readonly share: number;
      readonly unitsPerSecond: number;
      readonly reasons?: readonly ThrottlingReason[];
    };

export interface LimiterStatus {
  /** Units per second allowed; Infinity without a budget. */
  readonly budget: number;
  /** Units per second at present: the budget, or less after refusals. */
  readonly rate: number;
  /** Units consumed in the last second. */
  readonly consumedPerSecond: number;
  /** What a unit of the estimate really costs. */
  readonly costRatio: number;
  readonly slow?: SlowReason;
}

/** How a request asks for its units. */
export interface Claim {
  /** The estimate comes from what such requests cost of late; what others cost does not change it. */
  readonly measured?: boolean | undefined;
  /** Units by which it may well cost more than the estimate. */
  readonly surprise?: number | undefined;
  /** Not paced: it waits only as long as the last second is full. For what must not come late, such as a lock's renewal. */
  readonly urgent?: boolean | undefined;
}

/** Units set aside for a request that is on its way. */
export interface Reservation {
  readonly estimate: number;
  /** What a unit of the estimate was taken for. */
  readonly ratio: number;
  readonly measured: boolean;
  /** By what it cost of late. */
  readonly units: number;
  /** The part of them that those who are paced make up for. */
  readonly charged: number;
  readonly worstUnits: number;
}

/** What became of a request that units were set aside for. */
export type UseOutcome =
  | {
      readonly kind: 'answered';
      /** Units that the store says it consumed; undefined when it does not say. */
      readonly consumed: number | undefined;
      /** Part of the estimate that was refused for want of capacity. */
      readonly refused: number;
      /** Why, as far as the store says. */
      readonly reasons?: readonly ThrottlingReason[] | undefined;
    }
  /** It failed on the way: it may have consumed what was expected, or nothing. */
  | { readonly kind: 'unknown' }
  /** It was never sent. */
  | { readonly kind: 'cancelled' };

/** A one-second window may hold this much of the rate; what is above 1 lets it catch up after a pause. */
export const windowShare = 1.05;
/** No request but a single item's is expected to cost more than this part of a second's units. */
export const maxRequestShare = 0.05;
/** The part of what cheap work may cost above its ratio that the window allows for; see `worstUnits`. */
const surpriseShare = 0.65;
/** Unused units are kept for this long. */
const catchUpSeconds = 0.5;
/** Urgent requests add to the debt only up to here: more of them than the rate would keep all others waiting for ever. */
const maxUrgentDebtSeconds = 2;
/** The ratio follows its samples over about this many units; upwards it hurries, for what is dearer breaks the budget. */
const ratioHorizonUnits = { up: 50, down: 250 };
const maxRatio = 100;
const minRatio = 0.01;

/**
 * A limiter in capacity units per second, for writes or for reads. The time is an argument, so it runs under any clock.
 *
 * Two rules hold at once. A token bucket paces requests at the rate. And what is in flight plus what was answered
 * within the last second never exceeds `windowShare` of the rate: a request takes effect between its sending and its
 * answer, so this bounds every one-second window as the store sees it, whatever the latency.
 */
export class CapacityLimiter {
  readonly #budget: number;
  readonly #window: CapacityWindow;
  readonly #rate: AdaptiveRate;
  #tokens = 0;
  #refilledMs: number;
  #inFlightUnits = 0;
  #inFlight = 0;
  /** When a request last had to wait. */
  #heldUpMs = Number.NEGATIVE_INFINITY;
  #ratio = 1;
  /** The ratio is known. */
  #learned = false;
  #answered = false;
  /** A request came back without an answer: the next ones do not wait in turn for what nobody may ever tell. */
  #unanswered = false;
  readonly #ceilings: PartitionCeilings;
  readonly #reasons = new RefusalReasons();

  constructor(unitsPerSecond: number, nowMs: number) {
    this.#budget = unitsPerSecond;
    this.#window = new CapacityWindow(nowMs);
    this.#rate = new AdaptiveRate(unitsPerSecond, this.#window, nowMs);
    this.#ceilings = new PartitionCeilings(nowMs);
    this.#refilledMs = nowMs;
  }

  /**
   * How the units that go out from now on fall on single keys; the rate starts at what their partitions take. Without a budget
   * nothing is held back: that is for servers on this machine, which have no partitions.
   */
  carry(loads: readonly KeyLoad[]): void {
    if (this.#budget === Number.POSITIVE_INFINITY) return;
    this.#ceilings.carry(loads);
    this.#rate.limit(this.#ceilings.lowest?.unitsPerSecond ?? Number.POSITIVE_INFINITY);
  }

  /** Why the store refuses, as far as it has said of late. */
  get reasons(): RefusalReasons {
    return this.#reasons;
  }

  /** Units per second allowed; Infinity without a budget. */
  get budget(): number {
    return this.#budget;
  }

  /** Units per second that may be used at present. */
  get unitsPerSecond(): number {
    return this.#rate.unitsPerSecond;
  }

  /** The most that a request of several items should be estimated at, so that requests stay small against the rate. */
  get maxRequestUnits(): number {
    return (this.#rate.unitsPerSecond * maxRequestShare) / Math.max(1, this.#ratio);
  }

  /** How long to wait before a request of this estimate may go; 0 when it may go now. Ask again after the wait. */
  waitMs(estimate: number, nowMs: number, claim: Claim = {}): number {
    this.#refill(nowMs);
    this.#adapt(nowMs);
    const waitMs = this.#rate.isUnlimited ? 0 : this.#delayMs(estimate, nowMs, claim);
    if (waitMs > 0) this.#heldUpMs = nowMs;
    return waitMs;
  }

  #delayMs(estimate: number, nowMs: number, claim: Claim): number {
    const known = claim.measured === true ? this.#answered : this.#learned;
    if (!known && !this.#unanswered && this.#inFlight > 0) return windowMs;
    if (this.#tokens < 0 && claim.urgent !== true) return Math.max(1, (-this.#tokens / this.#rate.unitsPerSecond) * 1_000);
    this.#window.advance(nowMs);
    const used = this.#inFlightUnits + this.#window.accepted;
    const most = this.#rate.unitsPerSecond * windowShare;
    // A request larger than the whole window goes alone; the bucket's debt then makes up for it.
    const fits = used === 0 || used + this.#worstUnits(estimate, claim) <= most;
    return fits ? 0 : Math.max(1, this.#window.untilNextSlotMs(nowMs));
  }

  /** How long requests that are paced wait for what went before them. */
  debtMs(nowMs: number): number {
    this.#refill(nowMs);
    return this.#rate.isUnlimited ? 0 : (Math.max(0, -this.#tokens) / this.#rate.unitsPerSecond) * 1_000;
  }

  /** Sets units aside; the request goes now. */
  take(estimate: number, nowMs: number, claim: Claim = {}): Reservation {
    this.#refill(nowMs);
    const measured = claim.measured === true;
    const ratio = measured ? 1 : this.#ratio;
    const units = estimate * ratio;
    const charged = claim.urgent === true ? this.#urgentShare(units) : 1;
    if (!this.#rate.isUnlimited) this.#tokens -= units * charged;
    const worstUnits = this.#worstUnits(estimate, claim);
    this.#inFlightUnits += worstUnits;
    this.#inFlight += 1;
    return { estimate, ratio, measured, units, charged, worstUnits };
  }

  #urgentShare(units: number): number {
    const room = this.#tokens + maxUrgentDebtSeconds * this.#rate.unitsPerSecond;
    return Math.min(1, Math.max(0, room) / Math.max(units, Number.EPSILON));
  }

  /**
   * What the window allows for until the answer. Work that has been cheap of late, as the rewriting of items that are there
   * already, may cost the full estimate from one request to the next: most of the difference is set aside. All of it would leave
   * a budget of cheap work unused, and what is in flight at such a moment is a small part of a second. No more is kept for
   * surprises than the window has above the rate, or one dear item would slow down all that follow.
   */
  #worstUnits(estimate: number, { measured, surprise = 0 }: Claim): number {
    if (measured !== true) return estimate * Math.max(surpriseShare + (1 - surpriseShare) * this.#ratio, this.#ratio);
    return estimate + Math.min(surprise, this.#rate.unitsPerSecond * (windowShare - 1));
  }

  /** The request is back, or was never sent: what it consumed takes the place of what was set aside for it. */
  settle(reservation: Reservation, outcome: UseOutcome, nowMs: number): void {
    this.#refill(nowMs);
    const { consumed, refused } = this.#costOf(reservation, outcome);
    // Refused units are not given back: what is tried is paced, too, or refusals would breed more of them.
    if (!this.#rate.isUnlimited) this.#tokens += (reservation.units - consumed - refused) * reservation.charged;
    this.#inFlight -= 1;
    this.#inFlightUnits = this.#inFlight === 0 ? 0 : this.#inFlightUnits - reservation.worstUnits;
    this.#window.add(nowMs, consumed, refused);
    this.#rate.record(consumed, refused);
    const accepted = outcome.kind === 'answered' ? reservation.estimate - outcome.refused : 0;
    if (outcome.kind === 'answered') this.#answered = true;
    if (outcome.kind === 'unknown') this.#unanswered = true;
    if (accepted > 0 && !reservation.measured) this.#learn(consumed / accepted, accepted);
    if (outcome.kind === 'answered' && outcome.refused > 0) {
      this.#ceilings.refused(outcome.reasons ?? [], nowMs);
      this.#reasons.note(outcome.reasons ?? [], nowMs);
    }
    this.#adapt(nowMs);
  }

  #adapt(nowMs: number): void {
    const { lowest } = this.#ceilings;
    if (lowest !== undefined) {
      const isHeldUp = lowest.unitsPerSecond < this.#budget && nowMs - this.#heldUpMs < windowMs;
      this.#ceilings.climb(nowMs, isHeldUp);
      this.#rate.limit(this.#ceilings.lowest?.unitsPerSecond ?? Number.POSITIVE_INFINITY);
    }
    this.#rate.adapt(nowMs, this.#heldUpMs);
  }

  #costOf(reservation: Reservation, outcome: UseOutcome): { readonly consumed: number; readonly refused: number } {
    if (outcome.kind === 'cancelled') return { consumed: 0, refused: 0 };
    // Counted as used: a budget is held also when answers are lost.
    if (outcome.kind === 'unknown') return { consumed: reservation.units, refused: 0 };
    const accepted = reservation.estimate - outcome.refused;
    const { ratio } = reservation;
    return { consumed: outcome.consumed ?? accepted * ratio, refused: outcome.refused * ratio };
  }

  status(nowMs: number): LimiterStatus {
    this.#adapt(nowMs);
    const slow = this.#slowReason(nowMs);
    return {
      budget: this.#budget,
      rate: this.#rate.unitsPerSecond,
      consumedPerSecond: this.#window.accepted,
      costRatio: this.#ratio,
      ...(slow === undefined ? {} : { slow }),
    };
  }

  #slowReason(nowMs: number): SlowReason | undefined {
    const { isUnlimited, unitsPerSecond, refusedShare } = this.#rate;
    if (isUnlimited) return undefined;
    const { lowest } = this.#ceilings;
    const isHeldUp = nowMs - this.#heldUpMs < windowMs;
    // While the ceiling climbs, the rate is a look behind.
    const isAtCeiling = lowest !== undefined && refusedShare === 0 && unitsPerSecond >= 0.9 * lowest.unitsPerSecond;
    if (unitsPerSecond < this.#budget && isAtCeiling)
      return isHeldUp ? { kind: 'partition', ...lowest, unitsPerSecond } : undefined;
    if (unitsPerSecond < this.#budget) return this.#refusal(refusedShare, unitsPerSecond, nowMs);
    if (!this.#answered) return { kind: 'learning' };
    return isHeldUp ? { kind: 'budget', unitsPerSecond: this.#budget } : undefined;
  }

  #refusal(share: number, unitsPerSecond: number, nowMs: number): SlowReason {
    const reasons = this.#reasons.at(nowMs);
    return { kind: 'refused', share, unitsPerSecond, ...(reasons.length === 0 ? {} : { reasons }) };
  }

  #refill(nowMs: number): void {
    const seconds = Math.max(0, nowMs - this.#refilledMs) / 1_000;
    this.#refilledMs = Math.max(nowMs, this.#refilledMs);
    const { unitsPerSecond, isUnlimited } = this.#rate;
    this.#tokens = isUnlimited ? 0 : Math.min(this.#tokens + seconds * unitsPerSecond, unitsPerSecond * catchUpSeconds);
  }

  #learn(sample: number, weight: number): void {
    const bounded = Math.min(maxRatio, Math.max(minRatio, sample));
    const horizon = bounded > this.#ratio ? ratioHorizonUnits.up : ratioHorizonUnits.down;
    const gain = this.#learned ? Math.min(1, weight / horizon) : 1;
    this.#ratio += gain * (bounded - this.#ratio);
    this.#learned = true;
  }
}
