import type { Transaction, Write } from '../../../tables/model/operation.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { ReadNames } from '../read/plan-read.ts';
import type { TransactEntry, TransactRequest } from '../store/store.ts';
import { checkEntry, deleteEntry, type EntryGuard, putEntry, updateEntry } from '../store/transact-entry.ts';

/** The TransactWriteItems request of a transaction. */
export function planTransaction(transaction: Transaction, names: ReadNames): TransactRequest {
  return { TransactItems: transaction.writes.map((write) => planWrite(write, names)) };
}

function planWrite(write: Write, names: ReadNames): TransactEntry {
  const TableName = physicalName(write.table, names);
  const guard = guardOf(write);
  switch (write.kind) {
    case 'put':
      return putEntry(TableName, write.item, guard);
    case 'delete':
      return deleteEntry(TableName, write.key, guard);
    case 'update':
      return updateEntry(TableName, write.key, write, guard);
    case 'check':
      return checkEntry(TableName, write.key, write.condition);
  }
}

function guardOf({ table, condition, seen }: Write): EntryGuard | undefined {
  return seen === undefined ? condition : { exists: table.key.hash.name, seen };
}
