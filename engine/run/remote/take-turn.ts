import { absent, all, equals } from '../../../tables/model/condition.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { type LeaseRecord, lockRecord } from '../../../tables/model/ledger/lock-records.ts';
import { ledgerAttributes, ledgerKey } from '../../core/ledger/ledger-codec.ts';
import { updateEntry } from '../../core/store/transact-entry.ts';
import { ledgerOf } from '../ledger/ledger-store.ts';
import { type Lease, lockLost, lockScope, readLease } from '../ledger/lock.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { untilStopped } from '../store/until-stopped.ts';

/** Two invocations that meet at one claim or turn: one of them has it after so many looks. */
export const maxTries = 10;
const silentBeats = 5;

/**
 * Whoever was replaced notices with its next heartbeat, or sends nothing more when it has not been able to look for so long. Whoever
 * replaces it waits as long before its own first write, unless the other has ended in order.
 */
export const silenceMs = ({ tuning }: Pick<MigrateEnvironment, 'tuning'>): number => silentBeats * tuning.heartbeatMs;

const key = ledgerKey(lockRecord, { scope: lockScope });
const number = (value: number) => ({ N: String(value) });

/**
 * Speaks for an execution that holds the lock: whoever did before, and is invoked twice or late, writes nothing more. `working`: it will
 * run steps, which send more than ledger writes.
 */
export async function takeTurn(
  environment: MigrateEnvironment,
  { token, holder }: Pick<Lease, 'token' | 'holder'>,
  working: boolean,
  stop: AbortSignal,
): Promise<Lease> {
  const store = ledgerOf(environment);
  for (let tries = 0; tries < maxTries; tries += 1) {
    const found = await readLease(environment);
    if (found === undefined || !isOf(found, { token, holder }, environment.nowMs())) throw lockLost({ token });
    const turn = (found.turn ?? 0) + 1;
    const attempt = (found.attempt ?? 0) + (working ? 1 : 0);
    const asRead = found.turn === undefined ? absent('turn') : equals('turn', number(found.turn));
    const set = ledgerAttributes(lockRecord, { turn, attempt, ...(working ? { working } : {}) });
    const change = working ? { set } : { set, remove: ['working'] };
    const ours = all(equals('token', number(token)), equals('holder', holder), asRead);
    const answer = await store.transact(() => [updateEntry(store.table, key, change, ours)], { urgent: true });
    if (!answer.done) continue;
    if (found.working === true) await untilStopped(environment.sleep(silenceMs(environment), stop), stop);
    // What the one before waited for is told no longer.
    const told = found.waiting === undefined ? {} : { waiting: '' };
    const { leaseUntil: untilMs, since } = found;
    return { token, holder, takenOver: undefined, untilMs, turn, attempt, sinceMs: Date.parse(since), ...told };
  }
  throw new TablewrightError('CONFLICT', `${holder}: others speak for it again and again`, {
    next: 'Nothing was changed; the state machine asks again.',
  });
}

const isOf = (found: LeaseRecord, lease: Pick<Lease, 'token' | 'holder'>, nowMs: number): boolean =>
  found.token === lease.token && found.holder === lease.holder && found.leaseUntil > nowMs;

/** Nothing of the turn is under way any more. Where that cannot be told, the next one waits. */
export async function endTurn(environment: MigrateEnvironment, { token, turn }: Lease): Promise<void> {
  if (turn === undefined) return;
  const store = ledgerOf(environment);
  const ours = all(equals('token', number(token)), equals('turn', number(turn)));
  const change = { set: {}, remove: ['working'] };
  await store.transact(() => [updateEntry(store.table, key, change, ours)], { urgent: true }).catch(() => undefined);
}
