import { stopRecord } from '../../../tables/model/ledger/lock-records.ts';
import { isoOfEpochMs } from '../../../tables/model/time.ts';
import { ledgerItem } from '../../core/ledger/ledger-codec.ts';
import { putEntry } from '../../core/store/transact-entry.ts';
import { ledgerOf, type MigrationLedger } from '../ledger/ledger-store.ts';
import { lockScope, readLease } from '../ledger/lock.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';

export type StopEnvironment = MigrationLedger & Pick<MigrateEnvironment, 'actor' | 'nowMs'>;

/** Who was asked to stop. */
export interface StoppedRun {
  readonly token: number;
  readonly holder: string;
  readonly doing: string;
}

/** Asks whoever holds the lock to stop at its next checkpoint, as Ctrl-C would. Undefined when nobody holds it. */
export async function stopRuns(environment: StopEnvironment): Promise<StoppedRun | undefined> {
  const store = ledgerOf(environment);
  const lease = await readLease(environment);
  if (lease === undefined || lease.leaseUntil <= environment.nowMs()) return undefined;
  const { token, holder, doing } = lease;
  const at = isoOfEpochMs(environment.nowMs());
  const item = ledgerItem(stopRecord, { scope: lockScope, token, by: environment.actor.who, at });
  await store.transact(() => [putEntry(store.table, item)]);
  return { token, holder, doing };
}
