import { type ErasureRecord, erasureRecord } from '../../../../tables/model/ledger/transfer-records.ts';
import { isoOfEpochMs } from '../../../../tables/model/time.ts';
import { ledgerItem } from '../../../core/ledger/ledger-codec.ts';
import type { Store, TransactEntry } from '../../../core/store/store.ts';
import { deleteEntry, putEntry } from '../../../core/store/transact-entry.ts';
import type { LedgerStore } from '../../ledger/ledger-store.ts';
import { type TransactContext, transact } from '../../store/transact.ts';
import type { SubjectRecord } from './find-subject.ts';

export interface EraseEnvironment extends TransactContext {
  readonly store: Pick<Store, 'transact'>;
  readonly ledger: LedgerStore;
  readonly nowMs: () => number;
  /** Names the erasure in the ledger. */
  readonly id: string;
  /** Who does it, as the ledger is to say. */
  readonly by: string;
  readonly onRemoved?: ((removed: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Erased {
  readonly outcome: 'complete' | 'interrupted';
  readonly id: string;
  /** By `table/ENTITY`. */
  readonly removed: Readonly<Record<string, number>>;
  /** Records that are somebody else's or gone by now. */
  readonly left: number;
}

const recordEvery = 100;

/**
 * Removes the records one by one, each only while it is still the person's. The ledger is told before the first and after the last one how
 * many of which kind were removed, and nothing else.
 */
export async function eraseSubject(environment: EraseEnvironment, records: readonly SubjectRecord[]): Promise<Erased> {
  const { signal, nowMs, id, by, onRemoved } = environment;
  const at = isoOfEpochMs(nowMs());
  const removed: Record<string, number> = {};
  let left = 0;
  const note = (state: ErasureRecord['state']): Promise<void> => {
    const record = { at, id, state, by, removed: { ...removed }, left, updatedAt: isoOfEpochMs(nowMs()) };
    return keep(environment.ledger, record);
  };
  await note('running');
  for (const [done, record] of records.entries()) {
    if (signal?.aborted) {
      await note('interrupted');
      return { outcome: 'interrupted', id, removed, left };
    }
    const name = `${record.table.name}/${record.entity ?? '(no entity)'}`;
    const answer = await transact(environment, () => ({ TransactItems: [removal(record)] }));
    if (answer.done) removed[name] = (removed[name] ?? 0) + 1;
    else left += 1;
    onRemoved?.(done + 1);
    if ((done + 1) % recordEvery === 0) await note('running');
  }
  await note('complete');
  return { outcome: 'complete', id, removed, left };
}

function removal({ table, tableName, key, identities }: SubjectRecord): TransactEntry {
  return deleteEntry(tableName, key, { exists: table.key.hash.name, seen: identities });
}

async function keep(ledger: LedgerStore, record: ErasureRecord): Promise<void> {
  await ledger.transact(() => [putEntry(ledger.table, ledgerItem(erasureRecord, record))]);
}
