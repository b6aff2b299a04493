import { absent, all, equals } from '../../../tables/model/condition.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { claimRecord } from '../../../tables/model/ledger/lock-records.ts';
import type { SegmentUnit } from '../../../tables/model/ledger/migration-records.ts';
import { ledgerItem, ledgerKey } from '../../core/ledger/ledger-codec.ts';
import { checkEntry, putEntry } from '../../core/store/transact-entry.ts';
import type { Fence } from '../ledger/fenced-ledger.ts';
import { ledgerOf } from '../ledger/ledger-store.ts';
import { type Lease, lockLost } from '../ledger/lock.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';

/** Two invocations that meet at one claim: one of them has it after so many looks. */
const maxTries = 10;

const number = (value: number) => ({ N: String(value) });

/**
 * Makes a unit this invocation's own: whoever had it before can write nothing more of it. Refused when a newer execution or a local
 * run has it.
 */
export async function claimUnit(environment: MigrateEnvironment, unit: SegmentUnit, lease: Lease, by: string): Promise<Fence> {
  const store = ledgerOf(environment);
  const { migration, step, segment } = unit;
  const place = { migration, step, segment };
  const { token } = lease;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const found = await store.get(claimRecord, place);
    if (found !== undefined && found.token > token) throw lockLost(lease);
    const attempt = found?.token === token ? found.attempt + 1 : 1;
    const asRead =
      found === undefined ? absent('PK') : all(equals('token', number(found.token)), equals('attempt', number(found.attempt)));
    const item = ledgerItem(claimRecord, { ...place, token, attempt, by });
    const answer = await store.transact(() => [putEntry(store.table, item, asRead)]);
    if (answer.done) return claimFence(lease, place, attempt);
  }
  throw new TablewrightError('CONFLICT', `${migration}, step ${step}, segment ${segment}: others claim it again and again`, {
    next: 'Nothing was changed; the state machine invokes it again.',
  });
}

/** One of many under a lock: a write passes while its claim is the last one. */
function claimFence(lease: Lease, place: Pick<SegmentUnit, 'migration' | 'step' | 'segment'>, attempt: number): Fence {
  const key = ledgerKey(claimRecord, place);
  const mine = all(equals('token', number(lease.token)), equals('attempt', number(attempt)));
  return { lease, attempt, renews: false, entry: (table) => checkEntry(table, key, mine) };
}
