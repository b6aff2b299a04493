import { absent, equals } from '../../../../tables/model/condition.ts';
import { TablewrightError } from '../../../../tables/model/error.ts';
import { type BulkImportRecord, bulkImportRecord } from '../../../../tables/model/ledger/transfer-records.ts';
import { bulkPrefix } from '../../../../tables/model/stack/config/storage.ts';
import { isoOfEpochMs } from '../../../../tables/model/time.ts';
import { ledgerItem } from '../../../core/ledger/ledger-codec.ts';
import { putEntry } from '../../../core/store/transact-entry.ts';
import type { LedgerStore } from '../../ledger/ledger-store.ts';

/** All that was ever staged for one token lies in here, a folder for each run that did. */
export function stagingRoot({ table, clientToken }: Pick<BulkImportRecord, 'table' | 'clientToken'>): string {
  return `${bulkPrefix}${table}/${clientToken}/`;
}

/** The record of a bulk import: every change is on condition that nobody else has changed it since it was read. */
export class BulkLedger {
  readonly #ledger: LedgerStore;
  readonly #nowMs: () => number;
  #record: BulkImportRecord;

  private constructor(ledger: LedgerStore, nowMs: () => number, record: BulkImportRecord) {
    this.#ledger = ledger;
    this.#nowMs = nowMs;
    this.#record = record;
  }

  static async take(
    ledger: LedgerStore,
    nowMs: () => number,
    fresh: Omit<BulkImportRecord, 'version' | 'updatedAt'>,
    again: boolean,
  ): Promise<BulkLedger> {
    const { table, identity } = fresh;
    const found = await ledger.get(bulkImportRecord, { table, identity });
    const version = found?.version ?? 0;
    const record = { ...(found === undefined || again ? fresh : found), version, updatedAt: isoOfEpochMs(nowMs()) };
    const taken = new BulkLedger(ledger, nowMs, record);
    // A run that stages shows no sign of life. So it is taken over: its next change of the record fails, and what it still writes lies elsewhere.
    if (record.state === 'staging') await taken.save({ prefix: `${stagingRoot(record)}${version + 1}/` }, found === undefined);
    return taken;
  }

  get record(): BulkImportRecord {
    return this.#record;
  }

  async save(change: Partial<BulkImportRecord>, isNew = false): Promise<void> {
    const { version } = this.#record;
    const next = { ...this.#record, ...change, version: version + 1, updatedAt: isoOfEpochMs(this.#nowMs()) };
    const unchanged = isNew ? absent('PK') : equals('version', { N: String(version) });
    const entry = putEntry(this.#ledger.table, ledgerItem(bulkImportRecord, next), unchanged);
    // Without a signal: what DynamoDB was asked for must be known to the next run most of all when this one is stopped.
    const answer = await this.#ledger.transact(() => [entry]);
    if (!answer.done) {
      throw new TablewrightError('CONFLICT', `${this.#record.table}: another run of the same bulk import is at work`, {
        next: 'Wait for it, or stop it; then run the same command again to go on where it ended.',
      });
    }
    this.#record = next;
  }
}
