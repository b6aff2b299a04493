import { type Budget, budgetUnits } from '../../core/capacity/budget.ts';
import {
  CapacityLimiter,
  type Claim,
  type LimiterStatus,
  type Reservation,
  type UseOutcome,
  windowShare,
} from '../../core/capacity/capacity-limiter.ts';
import { windowMs } from '../../core/capacity/capacity-window.ts';
import { ReadCosts } from '../../core/capacity/item-costs.ts';
import { PageShare } from '../../core/capacity/page-share.ts';
import type { KeyLoad } from '../../core/capacity/partition-ceilings.ts';
import type { ThrottlingReason } from '../../core/store/throttling.ts';
import { type Clock, systemClock } from './clock.ts';

interface Waiting {
  readonly estimate: number;
  claim: Claim;
  readonly admit: (reservation: Reservation) => void;
  /** When it would have gone without urgent ones, at the latest; known once it is the first of those that are not urgent. */
  dueMs?: number;
  /** An urgent one went before it since. */
  passed?: boolean;
}

/** Without others a second's window empties within a second; one more is for what is on its way. */
const patienceMs = 2 * windowMs;

/**
 * One table's limiter with a clock: `enter` waits until a request of the estimated cost may go, `leave` tells what it
 * cost. Every entered request must leave, also a failed one. Those who wait go in the order in which they came, urgent ones
 * before the others; but whoever was kept waiting by them too long counts as urgent, too, so that nobody waits for ever.
 */
export class CapacityGate {
  readonly #limiter: CapacityLimiter;
  readonly #clock: Clock;
  #waiting: Waiting[] = [];
  #cancelTimer: (() => void) | undefined;
  /** What reads of the table have cost, for whoever sizes them. */
  readonly costs = new ReadCosts();
  readonly #pages = new PageShare();

  constructor(unitsPerSecond: number, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#limiter = new CapacityLimiter(unitsPerSecond, clock.steadyMs());
  }

  /** Units per second that may be used at present; Infinity without a limit. */
  get unitsPerSecond(): number {
    return this.#limiter.unitsPerSecond;
  }

  /** The most that one request of several items should be estimated at. */
  get maxRequestUnits(): number {
    return this.#limiter.maxRequestUnits;
  }

  /** The most that one page of many should be estimated at: pages grow while the budget is not used. */
  get maxPageUnits(): number {
    if (!Number.isFinite(this.#limiter.unitsPerSecond)) return Number.POSITIVE_INFINITY;
    const nowMs = this.#clock.steadyMs();
    const { rate, consumedPerSecond, slow } = this.#limiter.status(nowMs);
    return rate * this.#pages.at(nowMs, windowShare, { rate, consumedPerSecond, isRefused: slow?.kind === 'refused' });
  }

  /** Is there a budget at all? */
  get isLimited(): boolean {
    return Number.isFinite(this.#limiter.budget);
  }

  /** Why the store refuses requests, as far as it has said of late. */
  get reasons(): readonly ThrottlingReason[] {
    return this.#limiter.reasons.at(this.#clock.steadyMs());
  }

  /** Is a request worth sending in a way that tells why it is refused? True for one of many who ask. */
  wantsReason(): boolean {
    return this.#limiter.reasons.wantsName(this.#clock.steadyMs());
  }

  /** How what goes out from now on falls on single keys. */
  carry(loads: readonly KeyLoad[]): void {
    this.#limiter.carry(loads);
    this.#admitAll();
  }

  /** Undefined when the signal ended the wait: then nothing was set aside, and nothing leaves. */
  async enter(estimate: number, signal?: AbortSignal, claim: Claim = {}): Promise<Reservation | undefined> {
    if (signal?.aborted) return undefined;
    if (this.#waiting.length === 0) {
      const nowMs = this.#clock.steadyMs();
      if (this.#limiter.waitMs(estimate, nowMs, claim) === 0) return this.#limiter.take(estimate, nowMs, claim);
    }
    return this.#wait(estimate, claim, signal);
  }

  leave(reservation: Reservation, outcome: UseOutcome): void {
    this.#limiter.settle(reservation, outcome, this.#clock.steadyMs());
    this.#admitAll();
  }

  status(): LimiterStatus {
    return this.#limiter.status(this.#clock.steadyMs());
  }

  #wait(estimate: number, claim: Claim, signal: AbortSignal | undefined): Promise<Reservation | undefined> {
    return new Promise((resolve) => {
      const abort = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        resolve(undefined);
        this.#admitAll();
      };
      const admit = (reservation: Reservation): void => {
        signal?.removeEventListener('abort', abort);
        resolve(reservation);
      };
      const waiting: Waiting = { estimate, claim, admit };
      signal?.addEventListener('abort', abort, { once: true });
      this.#queue(waiting);
      this.#admitAll();
    });
  }

  #queue(waiting: Waiting): void {
    const place = waiting.claim.urgent === true ? this.#waiting.findIndex(({ claim }) => claim.urgent !== true) : -1;
    this.#waiting.splice(place === -1 ? this.#waiting.length : place, 0, waiting);
  }

  /**
   * Who is next. The first of those that are not urgent, when urgent ones kept it too long: it then waits for room in the window alone,
   * and they wait for it, some two seconds at most. Its debt is still paid by those that are paced.
   */
  #next(nowMs: number): Waiting | undefined {
    const first = this.#waiting.find(({ claim }) => claim.urgent !== true);
    if (first === undefined) return this.#waiting[0];
    first.dueMs ??= nowMs + this.#limiter.debtMs(nowMs) + patienceMs;
    if (first.passed === true && nowMs >= first.dueMs) {
      first.claim = { ...first.claim, urgent: true };
      this.#waiting = [first, ...this.#waiting.filter((other) => other !== first)];
    } else if (this.#waiting[0] !== first) first.passed = true;
    return this.#waiting[0];
  }

  /** Lets through who may go, and looks again when the next one may. */
  #admitAll(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    for (;;) {
      const nowMs = this.#clock.steadyMs();
      const next = this.#next(nowMs);
      if (next === undefined) return;
      const { estimate, claim, admit } = next;
      const waitMs = this.#limiter.waitMs(estimate, nowMs, claim);
      if (waitMs > 0) {
        this.#cancelTimer = this.#clock.after(waitMs, () => this.#admitAll());
        return;
      }
      this.#waiting.shift();
      admit(this.#limiter.take(estimate, nowMs, claim));
    }
  }
}

/** For work that nobody has set a budget for. Each gate still slows down when its table refuses requests. */
export function unlimitedGates(): CapacityGates {
  return new CapacityGates({ unlimited: true });
}

/** The gates of all tables under one budget each; shared by whatever works on those tables at the same time. */
export class CapacityGates {
  readonly #gates = new Map<string, CapacityGate>();
  readonly #budget: Budget;
  readonly #clock: Clock;

  constructor(budget: Budget, clock: Clock = systemClock) {
    this.#budget = budget;
    this.#clock = clock;
  }

  of(table: string): CapacityGate {
    const known = this.#gates.get(table);
    if (known !== undefined) return known;
    const gate = new CapacityGate(budgetUnits(this.#budget, table), this.#clock);
    this.#gates.set(table, gate);
    return gate;
  }
}
