import { type Budget, budgetUnits } from '../../core/capacity/budget.ts';
import { CapacityLimiter, type LimiterStatus, type Outcome, type Reservation } from '../../core/capacity/capacity-limiter.ts';
import { type Clock, systemClock } from './clock.ts';
import { Condition } from './condition.ts';

/**
 * One table's limiter with a clock: `enter` waits until a request of the estimated cost may go, `leave` tells what it
 * cost. Every entered request must leave, also a failed one. Those who wait go in the order in which they came.
 */
export class CapacityGate {
  readonly #limiter: CapacityLimiter;
  readonly #clock: Clock;
  readonly #changed = new Condition();
  #last: Promise<unknown> = Promise.resolve();

  constructor(unitsPerSecond: number, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#limiter = new CapacityLimiter(unitsPerSecond, clock.now());
  }

  /** The most that one request of several items should be estimated at. */
  get maxRequestUnits(): number {
    return this.#limiter.maxRequestUnits;
  }

  /** Undefined when the signal ended the wait: then nothing was set aside, and nothing leaves. */
  async enter(estimate: number, signal?: AbortSignal): Promise<Reservation | undefined> {
    const mine = this.#last.then(() => this.#admit(estimate, signal));
    this.#last = mine;
    return mine;
  }

  leave(reservation: Reservation, outcome: Outcome): void {
    this.#limiter.settle(reservation, outcome, this.#clock.now());
    this.#changed.notifyAll();
  }

  status(): LimiterStatus {
    return this.#limiter.status(this.#clock.now());
  }

  async #admit(estimate: number, signal: AbortSignal | undefined): Promise<Reservation | undefined> {
    const wake = (): void => this.#changed.notifyAll();
    signal?.addEventListener('abort', wake);
    try {
      while (!signal?.aborted) {
        const waitMs = this.#limiter.waitMs(estimate, this.#clock.now());
        if (waitMs === 0) return this.#limiter.take(estimate, this.#clock.now());
        await this.#changed.waitAtMost(this.#clock, waitMs);
      }
      return undefined;
    } finally {
      signal?.removeEventListener('abort', wake);
    }
  }
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
