import { exportSegmentRecord } from '../../../tables/model/ledger/transfer-records.ts';
import { ledgerItem, ledgerKey } from '../../core/ledger/ledger-codec.ts';
import { deleteEntry, putEntry } from '../../core/store/transact-entry.ts';
import type { LedgerStore } from '../ledger/ledger-store.ts';
import type { SegmentRecords } from './export-environment.ts';

/** Records of a masked export's segments in the ledger of the stack that it is read from. */
export function ledgerRecords(ledger: LedgerStore, table: string): SegmentRecords {
  return {
    read: async (id, segment, signal) => {
      return (await ledger.get(exportSegmentRecord, { table, export: id, segment }, signal))?.progress;
    },
    write: async (id, segment, progress) => {
      const record = ledgerItem(exportSegmentRecord, { table, export: id, segment, progress });
      await ledger.transact(() => [putEntry(ledger.table, record)]);
    },
    clear: async (ids) => {
      for (const record of await ledger.list(exportSegmentRecord, { table })) {
        if (!ids.includes(record.export)) continue;
        const key = ledgerKey(exportSegmentRecord, record);
        await ledger.transact(() => [deleteEntry(ledger.table, key)]);
      }
    },
  };
}
