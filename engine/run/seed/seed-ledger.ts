import type { Item } from '../../../tables/model/attribute-value.ts';
import type { InputOf, RecordOf } from '../../../tables/model/entity.ts';
import { buildItem, keyOf } from '../../../tables/model/item.ts';
import type { Table } from '../../../tables/model/table.ts';
import { isoOfEpochSeconds } from '../../../tables/model/time.ts';
import { tryReadRecord } from '../../../tables/model/unmarshal.ts';
import { physicalName } from '../../../tables/stack-config.ts';
import { ledger as declaredLedger } from '../../../tables/tablewright/ledger.ts';
import { seedRow, seedSet, seedVolume } from '../../../tables/tablewright/seed-records.ts';
import type { LedgerRow } from '../../core/seed/plan-seed.ts';
import type { SeedEnvironment } from './environment.ts';

export const ledgerTable: Table = declaredLedger;

export type VolumeRecord = RecordOf<typeof seedVolume>;

/** What the ledger says of one seed set in a stack. */
export class SeedLedger {
  readonly #environment: SeedEnvironment;
  readonly #set: string;
  readonly #tableName: string;

  constructor(environment: SeedEnvironment, set: string) {
    this.#environment = environment;
    this.#set = set;
    this.#tableName = physicalName(ledgerTable, environment.config);
  }

  /** What `now` means in the set; undefined when it was never loaded. */
  async anchor(signal?: AbortSignal): Promise<number | undefined> {
    const key = { PK: { S: `SEED#${this.#set}` }, SK: { S: 'SET' } };
    const { item } = await this.#environment.store.getItem(
      { TableName: this.#tableName, Key: key, ConsistentRead: true },
      signal,
    );
    return item === undefined ? undefined : readOrThrow(seedSet, item).anchor;
  }

  /** Moves the anchor from what it was; when another run was faster, that run's anchor holds. */
  async takeAnchor(former: number | undefined, anchor: number, signal?: AbortSignal): Promise<number> {
    const loadedAt = isoOfEpochSeconds(this.#environment.now());
    const item = buildItem(ledgerTable, seedSet, { set: this.#set, anchor, loadedAt });
    const condition =
      former === undefined
        ? { ConditionExpression: 'attribute_not_exists(PK)' }
        : {
            ConditionExpression: '#anchor = :former',
            ExpressionAttributeNames: { '#anchor': 'anchor' },
            ExpressionAttributeValues: { ':former': { N: String(former) } },
          };
    const put = { TableName: this.#tableName, Item: item, ...condition };
    const { done } = await this.#environment.store.transact({ TransactItems: [{ Put: put }] }, signal);
    return done ? anchor : ((await this.anchor(signal)) ?? anchor);
  }

  async rows(signal?: AbortSignal): Promise<ReadonlyMap<string, LedgerRow>> {
    const rows = new Map<string, LedgerRow>();
    let next: Item | undefined;
    do {
      const page = await this.#environment.store.query(
        {
          TableName: this.#tableName,
          KeyConditionExpression: 'PK = :set AND begins_with(SK, :row)',
          ExpressionAttributeValues: { ':set': { S: `SEED#${this.#set}` }, ':row': { S: 'ROW#' } },
          ScanIndexForward: true,
          ConsistentRead: true,
          ...(next === undefined ? {} : { ExclusiveStartKey: next }),
        },
        signal,
      );
      for (const item of page.items) {
        const row = readOrThrow(seedRow, item);
        rows.set(row.identity, row);
      }
      next = page.next;
    } while (next !== undefined);
    return rows;
  }

  rowItem(row: LedgerRow): Item {
    return buildItem(ledgerTable, seedRow, {
      set: this.#set,
      ...row,
      copies: row.copies.map(({ key, hash }) => ({ key, hash })),
    });
  }

  rowKey(identity: string): Item {
    return keyOf(ledgerTable, this.rowItem({ identity, table: ledgerTable.name, copies: [] }));
  }

  async volume(seed: number, signal?: AbortSignal): Promise<VolumeRecord | undefined> {
    const key = { PK: { S: `SEED#${this.#set}` }, SK: { S: `VOLUME#${seed}` } };
    const { item } = await this.#environment.store.getItem(
      { TableName: this.#tableName, Key: key, ConsistentRead: true },
      signal,
    );
    return item === undefined ? undefined : readOrThrow(seedVolume, item);
  }

  async saveVolume(record: Omit<InputOf<typeof seedVolume>, 'set' | 'updatedAt'>): Promise<void> {
    const updatedAt = isoOfEpochSeconds(this.#environment.now());
    const item = buildItem(ledgerTable, seedVolume, { ...record, set: this.#set, updatedAt });
    // Without a signal: how far it got is worth keeping most of all when the run is being stopped.
    await this.#environment.store.transact({ TransactItems: [{ Put: { TableName: this.#tableName, Item: item } }] });
  }
}

function readOrThrow<E extends typeof seedSet | typeof seedRow | typeof seedVolume>(entity: E, item: Item): RecordOf<E> {
  const read = tryReadRecord(entity, item);
  if ('record' in read) return read.record;
  throw new TypeError(`${entity.name} in the ledger: ${read.problems.join('; ')}`);
}
