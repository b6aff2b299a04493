import type { TablewrightError } from '../../../tables/model/error.ts';
import { transactionUnits } from '../../core/capacity/write-units.ts';
import { bytesOfWrite, entryOf, identityOf, type LedgerWrite } from '../../core/ledger/ledger-write.ts';
import type { TransactEntry } from '../../core/store/store.ts';
import type { EntryGuard } from '../../core/store/transact-entry.ts';
import { maxTransactionBytes, maxTransactionWrites } from '../../core/write/batch-limits.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { type LedgerStore, ledgerOf } from './ledger-store.ts';
import { type Lease, lockLost, renewal } from './lock.ts';

/** What lets a ledger write pass only for the one who may write. */
export interface Fence {
  readonly lease: Lease;
  /** Tells apart those who write under the same token. */
  readonly attempt: number;
  /** The part of each transaction that fails when it is another's turn. */
  entry(table: string, nowMs: number, untilMs: number): TransactEntry;
  /** Does a passed entry move the lease's end? */
  readonly renews: boolean;
}

/** A runner on one machine tries each segment once. */
const onlyAttempt = 0;

/** One process under the lock: every write renews the lease. */
export function leaseFence(lease: Lease): Fence {
  const entry: Fence['entry'] = (table, nowMs, untilMs) => renewal(table, lease, nowMs, untilMs);
  return { lease, attempt: lease.attempt ?? onlyAttempt, entry, renews: true };
}

/** The lease takes one action of each transaction, and names and conditions some of its bytes. */
const maxGroupWrites = maxTransactionWrites - 1;
const maxGroupBytes = Math.floor(0.85 * maxTransactionBytes);
/** What waits together goes together, as long as it is no more than this part of a second's units. */
const maxGroupShare = 0.5;
/** Of the lease's record, which stays below 1 KB. */
const renewalUnits = 2;

interface Entry {
  readonly identity: string;
  readonly entry: TransactEntry;
  readonly bytes: number;
  /** Expected write units. */
  readonly units: number;
}

interface Pending {
  readonly entries: readonly Entry[];
  /** Its condition may fail without that being anybody else's matter. */
  readonly alone: boolean;
  readonly resolve: (done: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes to the ledger, each of them only while the lease is held. What waits together goes together, in one transaction
 * with the lease's renewal. One queue per process and one call at a time, so that its own transactions never meet each other
 * on the lease.
 */
export class FencedLedger {
  readonly #environment: Pick<MigrateEnvironment, 'nowMs' | 'tuning'>;
  readonly #store: LedgerStore;
  readonly #waiting: Pending[] = [];
  #pumping = false;
  #lastCall: Promise<unknown> = Promise.resolve();
  #lost: TablewrightError | undefined;
  readonly #fence: Fence;
  readonly lease: Lease;

  constructor(environment: MigrateEnvironment, fence: Fence) {
    this.#environment = environment;
    this.#store = ledgerOf(environment);
    this.#fence = fence;
    this.lease = fence.lease;
  }

  get attempt(): number {
    return this.#fence.attempt;
  }

  /**
   * Resolves when all of it is stored. More than fits one transaction, or half a second of the ledger's budget, goes in several,
   * in the given order.
   */
  async commit(writes: readonly LedgerWrite[]): Promise<void> {
    const entries = writes.map((write) => this.#entry(write));
    // Half of a second's units at most: a part that needs a whole second to itself is let past the heartbeats only when it has
    // waited too long for one (see CapacityGate), and they wait for it then.
    const parts = partsOf(entries, this.#store.writeUnitsPerSecond * maxGroupShare - renewalUnits);
    await Promise.all(parts.map((part) => this.#queue(part, false)));
  }

  /** In one transaction, however large. */
  async commitTogether(writes: readonly LedgerWrite[]): Promise<void> {
    await this.#queue(
      writes.map((write) => this.#entry(write)),
      false,
    );
  }

  /** In one transaction; false when the first record is not as the guard says, and nothing is written. */
  async commitIf(guard: EntryGuard, first: LedgerWrite, ...others: readonly LedgerWrite[]): Promise<boolean> {
    return this.#queue([this.#entry(first, guard), ...others.map((write) => this.#entry(write))], true);
  }

  /** Renews the lease and nothing else. It does not wait for the budget, as writes may: a lease that passes meanwhile is lost. */
  async heartbeat(): Promise<void> {
    await this.#send([], true);
  }

  #queue(entries: readonly Entry[], alone: boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entries, alone, resolve, reject });
      void this.#pump();
    });
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    while (this.#waiting.length > 0) {
      const group = this.#nextGroup();
      try {
        const done = await this.#send(group.flatMap(({ entries }) => entries.map(({ entry }) => entry)));
        for (const { resolve } of group) resolve(done);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#pumping = false;
  }

  /** As much of what waits as one transaction takes: no record twice, in order, and no large part of a second's budget. */
  #nextGroup(): readonly Pending[] {
    const group: Pending[] = [];
    const entries: Entry[] = [];
    const seen = new Set<string>();
    const maxUnits = this.#store.writeUnitsPerSecond * maxGroupShare;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const clash = next.alone || next.entries.some(({ identity }) => seen.has(identity));
      if (group.length > 0 && (clash || !fits([...entries, ...next.entries], maxUnits))) break;
      for (const { identity } of next.entries) seen.add(identity);
      entries.push(...next.entries);
      group.push(next);
      this.#waiting.shift();
      if (next.alone) break;
    }
    return group;
  }

  /** False when a guard other than the lease's did not hold. */
  async #send(entries: readonly TransactEntry[], urgent = false): Promise<boolean> {
    const { nowMs, tuning } = this.#environment;
    let untilMs = 0;
    const withRenewal = (): readonly TransactEntry[] => {
      if (this.#lost !== undefined) throw this.#lost;
      const at = nowMs();
      untilMs = at + tuning.leaseMs;
      return [this.#fence.entry(this.#store.table, at, untilMs), ...entries];
    };
    const answer = await this.#store.transact(withRenewal, { urgent, inTurn: (call) => this.#inTurn(call) });
    if (answer.done) {
      if (this.#fence.renews) this.lease.untilMs = Math.max(this.lease.untilMs, untilMs);
      return true;
    }
    if (answer.reasons[0] !== 'ConditionalCheckFailed') return false;
    this.#lost = lockLost(this.lease);
    throw this.#lost;
  }

  #inTurn<T>(call: () => Promise<T>): Promise<T> {
    const mine = this.#lastCall.then(call, call);
    this.#lastCall = mine.catch(() => undefined);
    return mine;
  }

  #entry(write: LedgerWrite, guard?: EntryGuard): Entry {
    const entry = entryOf(this.#store.table, write, guard);
    return { identity: identityOf(write), entry, bytes: bytesOfWrite(write), units: transactionUnits([entry]) };
  }
}

function partsOf(entries: readonly Entry[], maxUnits: number): readonly (readonly Entry[])[] {
  const parts: Entry[][] = [];
  for (const entry of entries) {
    const last = parts.at(-1);
    if (last !== undefined && fits([...last, entry], maxUnits)) last.push(entry);
    else parts.push([entry]);
  }
  return parts;
}

function fits(entries: readonly Entry[], maxUnits: number): boolean {
  const sum = (of: (entry: Entry) => number): number => entries.reduce((total, entry) => total + of(entry), 0);
  const bytes = sum((entry) => entry.bytes);
  return entries.length <= maxGroupWrites && bytes <= maxGroupBytes && sum(({ units }) => units) <= maxUnits;
}
