import type { BatchOutcome, BatchStore } from '../../engine/core/write/batch-outcome.ts';
import { bodyOf, type WriteRequest, type WriteTable } from '../../engine/core/write/write-request.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../tables/model/canonical.ts';
import type { FakeClock } from './fake-clock.ts';

export interface Sent {
  readonly atMs: number;
  readonly table: string;
  readonly requests: readonly WriteRequest[];
}

export interface FakeStoreOptions {
  /** How long the next answer takes. */
  readonly latencyMs?: () => number;
  /** Units that a request consumes. */
  readonly cost?: (request: WriteRequest) => number;
  /** The answer to a batch, given how many were sent before; by default all of it is taken. */
  readonly answer?: (requests: readonly WriteRequest[], before: number) => BatchOutcome | undefined;
}

/** A store under a fake clock. A batch takes effect halfway between its sending and its answer. */
export class FakeStore implements BatchStore {
  readonly sent: Sent[] = [];
  /** When units were consumed. */
  readonly consumed: { readonly atMs: number; readonly units: number }[] = [];
  /** Every write that took effect, by table and key, in its order. */
  readonly effects = new Map<string, WriteRequest[]>();
  inFlight = 0;
  mostInFlight = 0;
  readonly #clock: FakeClock;
  readonly #options: FakeStoreOptions;

  constructor(clock: FakeClock, options: FakeStoreOptions = {}) {
    this.#clock = clock;
    this.#options = options;
  }

  async send(table: WriteTable, requests: readonly WriteRequest[]): Promise<BatchOutcome> {
    const outcome = this.#options.answer?.(requests, this.sent.length);
    this.sent.push({ atMs: this.#clock.steadyMs(), table: table.name, requests });
    this.inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    const latencyMs = this.#options.latencyMs?.() ?? 10;
    await this.#clock.sleep(latencyMs / 2);
    const consumed = this.#carryOut(table, requests, outcome);
    await this.#clock.sleep(latencyMs / 2);
    this.inFlight -= 1;
    return outcome === undefined ? { kind: 'answered', unprocessed: [], consumed } : withConsumed(outcome, consumed);
  }

  /** The items that are there now. */
  contents(): readonly Item[] {
    return [...this.effects.values()].flatMap((writes) => {
      const last = writes.at(-1);
      return last !== undefined && 'put' in last ? [last.put] : [];
    });
  }

  #carryOut(table: WriteTable, requests: readonly WriteRequest[], outcome: BatchOutcome | undefined): number {
    const left = new Set(outcome === undefined ? [] : outcome.kind === 'answered' ? outcome.unprocessed : requests.keys());
    const taken = requests.filter((_, at) => !left.has(at));
    for (const request of taken) {
      const place = `${table.name} ${keyIdentity(table.key, bodyOf(request))}`;
      this.effects.set(place, [...(this.effects.get(place) ?? []), request]);
    }
    const units = taken.reduce((sum, request) => sum + (this.#options.cost?.(request) ?? 1), 0);
    if (units > 0) this.consumed.push({ atMs: this.#clock.steadyMs(), units });
    return units;
  }
}

function withConsumed(outcome: BatchOutcome, consumed: number): BatchOutcome {
  return outcome.kind === 'answered' ? { ...outcome, consumed } : outcome;
}
