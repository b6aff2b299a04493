import type { Reservation, UseOutcome } from './capacity-limiter.ts';

/** What lets requests to one table through within its budget; `engine/run/capacity` has the one that waits. */
export interface Gate {
  /** Undefined when the signal ended the wait: then nothing was set aside, and nothing leaves. */
  enter(estimate: number, signal?: AbortSignal): Promise<Reservation | undefined>;
  leave(reservation: Reservation, outcome: UseOutcome): void;
}

export interface Gates {
  of(table: string): Gate;
}
