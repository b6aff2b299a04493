import type { Item } from '../../../tables/model/attribute-value.ts';
import { absent, equals } from '../../../tables/model/condition.ts';
import type { InputOf } from '../../../tables/model/entity.ts';
import { seedRow, seedSet, seedVolume, type VolumeRecord } from '../../../tables/model/ledger/seed-records.ts';
import { isoOfEpochSeconds } from '../../../tables/model/time.ts';
import { ledgerItem, ledgerKey } from '../../core/ledger/ledger-codec.ts';
import type { LedgerRow } from '../../core/seed/plan-seed.ts';
import { putEntry } from '../../core/store/transact-entry.ts';
import { LedgerStore } from '../ledger/ledger-store.ts';
import type { SeedEnvironment } from './environment.ts';

/** What the ledger says of one seed set in a stack. */
export class SeedLedger {
  readonly #nowSeconds: () => number;
  readonly #set: string;
  readonly #store: LedgerStore;
  readonly #batches: SeedEnvironment['store'];

  constructor(environment: SeedEnvironment, set: string) {
    this.#nowSeconds = environment.nowSeconds;
    this.#set = set;
    this.#batches = environment.store;
    const { store, config, readGates, gates, sleep, random, signal } = environment;
    this.#store = new LedgerStore({ store, names: config, gates: readGates, writeGates: gates, sleep, random, stopping: signal });
  }

  /** The ledger itself, for what others keep there. */
  get store(): LedgerStore {
    return this.#store;
  }

  /** The physical name of the ledger's table. */
  get table(): string {
    return this.#store.table;
  }

  /** What `now` means in the set; undefined when it was never loaded. */
  async anchor(signal?: AbortSignal): Promise<number | undefined> {
    return (await this.#store.get(seedSet, { set: this.#set }, signal))?.anchor;
  }

  /** Moves the anchor from what it was; when another run was faster, that run's anchor holds. */
  async takeAnchor(former: number | undefined, anchor: number, signal?: AbortSignal): Promise<number> {
    const item = ledgerItem(seedSet, { set: this.#set, anchor, loadedAt: isoOfEpochSeconds(this.#nowSeconds()) });
    const unchanged = former === undefined ? absent('PK') : equals('anchor', { N: String(former) });
    const { done } = await this.#store.transact(() => [putEntry(this.table, item, unchanged)], { signal });
    return done ? anchor : ((await this.anchor(signal)) ?? anchor);
  }

  /** What is known of these rows, by their identities. */
  async known(identities: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, LedgerRow>> {
    const keys = identities.map((identity) => ({ set: this.#set, identity }));
    return byIdentity(await this.#store.getAll(this.#batches, seedRow, keys, signal));
  }

  /** Every row of the set, a page at a time. */
  async *pages(signal?: AbortSignal): AsyncGenerator<ReadonlyMap<string, LedgerRow>> {
    for await (const page of this.#store.pages(seedRow, { set: this.#set }, signal)) yield byIdentity(page);
  }

  rowItem({ identity, table, copies }: LedgerRow): Item {
    return ledgerItem(seedRow, { set: this.#set, identity, table, copies: [...copies] });
  }

  rowKey(identity: string): Item {
    return ledgerKey(seedRow, { set: this.#set, identity });
  }

  async volume(seed: number, signal?: AbortSignal): Promise<VolumeRecord | undefined> {
    return this.#store.get(seedVolume, { set: this.#set, seed }, signal);
  }

  async saveVolume(record: Omit<InputOf<typeof seedVolume>, 'set' | 'updatedAt'>): Promise<void> {
    const item = ledgerItem(seedVolume, { ...record, set: this.#set, updatedAt: isoOfEpochSeconds(this.#nowSeconds()) });
    // Without a signal: how far it got is worth keeping most of all when the run is being stopped.
    await this.#store.transact(() => [putEntry(this.table, item)]);
  }
}

function byIdentity(rows: readonly LedgerRow[]): ReadonlyMap<string, LedgerRow> {
  return new Map(rows.map((row) => [row.identity, row]));
}
