import { TablewrightError } from '../../../tables/model/error.ts';
import { pauseRecord } from '../../../tables/model/ledger/lock-records.ts';
import { isoOfEpochMs } from '../../../tables/model/time.ts';
import { ledgerItem, ledgerKey } from '../../core/ledger/ledger-codec.ts';
import { deleteEntry, putEntry } from '../../core/store/transact-entry.ts';
import type { LedgerReader } from '../ledger/ledger-reader.ts';
import { ledgerOf, type MigrationLedger } from '../ledger/ledger-store.ts';
import { lockScope } from '../ledger/lock.ts';
import type { MigrateEnvironment } from './environment.ts';

type PauseEnvironment = MigrationLedger & Pick<MigrateEnvironment, 'actor' | 'nowMs'>;

/** Asks whoever runs migrations to hold still. A request, not a ledger entry of a run, so it needs no lock. */
export async function pauseRuns(environment: PauseEnvironment): Promise<void> {
  const store = ledgerOf(environment);
  const at = isoOfEpochMs(environment.nowMs());
  const item = ledgerItem(pauseRecord, { scope: lockScope, by: environment.actor.who, at });
  await store.transact(() => [putEntry(store.table, item)]);
}

/** False when nothing was paused. Whatever the record holds, it goes. */
export async function resumeRuns(environment: PauseEnvironment): Promise<boolean> {
  const store = ledgerOf(environment);
  const key = ledgerKey(pauseRecord, { scope: lockScope });
  if ((await store.item(key)) === undefined) return false;
  await store.transact(() => [deleteEntry(store.table, key)]);
  return true;
}

/** Nothing is begun while the runs are paused. */
export async function refuseWhilePaused(reader: LedgerReader): Promise<void> {
  const paused = await reader.pause();
  if (paused === undefined) return;
  throw new TablewrightError('LOCKED', `the migrations of this stack were paused by ${paused.by} at ${paused.at}`, {
    next: "Run 'tablewright resume' first.",
  });
}
