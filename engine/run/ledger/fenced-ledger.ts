import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { LedgerKey } from '../../../tables/tablewright/ledger-keys.ts';
import { itemBytes } from '../../core/item/item-size.ts';
import { toRecordItem } from '../../core/ledger/record-item.ts';
import { backOffMs } from '../../core/store/back-off.ts';
import type { TransactEntry } from '../../core/store/store.ts';
import { maxTransactionBytes, maxTransactionWrites } from '../../core/write/batch-limits.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { type Lease, leaseUpdate, ledgerName, lockLost } from './lock.ts';

export type LedgerWrite =
  | { readonly kind: 'put'; readonly key: LedgerKey; readonly record: object }
  | { readonly kind: 'set'; readonly key: LedgerKey; readonly attributes: object }
  | { readonly kind: 'delete'; readonly key: LedgerKey };

export const put = (key: LedgerKey, record: object): LedgerWrite => ({ kind: 'put', key, record });
export const setAttributes = (key: LedgerKey, attributes: object): LedgerWrite => ({ kind: 'set', key, attributes });
export const remove = (key: LedgerKey): LedgerWrite => ({ kind: 'delete', key });

/** The lease takes one action of each transaction, and names and conditions some of its bytes. */
const maxGroupWrites = maxTransactionWrites - 1;
const maxGroupBytes = Math.floor(0.85 * maxTransactionBytes);
const maxAttempts = 8;

interface Pending {
  readonly entries: readonly { readonly identity: string; readonly entry: TransactEntry; readonly bytes: number }[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes to the ledger, each of them only while the lease is held. What waits together goes together, in one transaction
 * with the lease's renewal: one queue per process, so that its own transactions never meet each other on the lease.
 */
export class FencedLedger {
  readonly #environment: MigrateEnvironment;
  readonly #table: string;
  readonly #waiting: Pending[] = [];
  #pumping = false;
  #lost: TablewrightError | undefined;
  readonly lease: Lease;

  constructor(environment: MigrateEnvironment, lease: Lease) {
    this.#environment = environment;
    this.#table = ledgerName(environment);
    this.lease = lease;
  }

  /** Resolves when all of it is stored. More than fits one transaction goes in several, in the given order. */
  async commit(writes: readonly LedgerWrite[]): Promise<void> {
    if (writes.length === 0) return;
    const entries = writes.map((write) => this.#entry(write));
    const done: Promise<void>[] = [];
    for (const part of parts(entries)) {
      done.push(
        new Promise((resolve, reject) => {
          this.#waiting.push({ entries: part, resolve, reject });
        }),
      );
    }
    void this.#pump();
    await Promise.all(done);
  }

  /** Renews the lease and nothing else. */
  async heartbeat(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ entries: [], resolve, reject });
      void this.#pump();
    });
  }

  /** Gives the lock back. It is the holder's alone to give: a lost one is left as it is. */
  async release(): Promise<void> {
    if (this.#lost !== undefined) return;
    const now = this.#environment.now();
    await this.#environment.ledger.transact({ TransactItems: [leaseUpdate(this.#table, this.lease, now, 0)] });
    this.lease.until = 0;
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    while (this.#waiting.length > 0) {
      const group = this.#nextGroup();
      try {
        await this.#send(group.flatMap(({ entries }) => entries.map(({ entry }) => entry)));
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#pumping = false;
  }

  /** As much of what waits as one transaction takes: no record twice, and in order. */
  #nextGroup(): readonly Pending[] {
    const group: Pending[] = [];
    const seen = new Set<string>();
    let bytes = 0;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const size = next.entries.reduce((sum, entry) => sum + entry.bytes, 0);
      const clash = next.entries.some(({ identity }) => seen.has(identity));
      if (group.length > 0 && (clash || seen.size + next.entries.length > maxGroupWrites || bytes + size > maxGroupBytes)) break;
      for (const { identity } of next.entries) seen.add(identity);
      bytes += size;
      group.push(next);
      this.#waiting.shift();
    }
    return group;
  }

  async #send(entries: readonly TransactEntry[]): Promise<void> {
    const { ledger, now, sleep, random, tuning } = this.#environment;
    for (let attempt = 1; ; attempt += 1) {
      if (this.#lost !== undefined) throw this.#lost;
      const at = now();
      const until = at + tuning.leaseMs;
      const answer = await ledger.transact({ TransactItems: [leaseUpdate(this.#table, this.lease, at, until), ...entries] });
      if (answer.done) {
        this.lease.until = until;
        return;
      }
      if (answer.reasons[0] === 'ConditionalCheckFailed') {
        this.#lost = lockLost(this.lease);
        throw this.#lost;
      }
      if (attempt >= maxAttempts || answer.reasons.includes('ValidationError')) throw refused(this.#table, answer.reasons);
      await sleep(backOffMs(attempt, random()));
    }
  }

  #entry(write: LedgerWrite): Pending['entries'][number] {
    const identity = JSON.stringify([write.key.PK, write.key.SK]);
    const TableName = this.#table;
    const Key = toRecordItem(write.key);
    if (write.kind === 'delete') return { identity, entry: { Delete: { TableName, Key } }, bytes: itemBytes(Key) };
    if (write.kind === 'set') {
      const attributes = toRecordItem(write.attributes);
      return { identity, entry: { Update: { TableName, Key, ...settingOf(attributes) } }, bytes: itemBytes(attributes) };
    }
    const item: Item = { ...toRecordItem(write.record), ...Key };
    return { identity, entry: { Put: { TableName, Item: item } }, bytes: itemBytes(item) };
  }
}

function settingOf(attributes: Item) {
  const names = Object.keys(attributes);
  return {
    UpdateExpression: `SET ${names.map((_, at) => `#n${at} = :v${at}`).join(', ')}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name, at) => [`#n${at}`, name])),
    ExpressionAttributeValues: Object.fromEntries(Object.values(attributes).map((value, at) => [`:v${at}`, value])),
  };
}

function* parts<T extends { readonly bytes: number }>(entries: readonly T[]): Generator<readonly T[]> {
  let part: T[] = [];
  let bytes = 0;
  for (const entry of entries) {
    if (part.length > 0 && (part.length >= maxGroupWrites || bytes + entry.bytes > maxGroupBytes)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(entry);
    bytes += entry.bytes;
  }
  if (part.length > 0) yield part;
}

function refused(table: string, reasons: readonly string[]): TablewrightError {
  return new TablewrightError('STORE_FAILED', `${table}: DynamoDB did not take a ledger write: ${reasons.join(', ')}`, {
    next: "Nothing of that write was stored; run 'tablewright migrate' again, it goes on from the last checkpoint.",
  });
}
