import { absent, all, equals } from '../../../tables/model/condition.ts';
import { claimRecord } from '../../../tables/model/ledger/lock-records.ts';
import type { SegmentUnit } from '../../../tables/model/ledger/migration-records.ts';
import { ledgerItem, ledgerKey } from '../../core/ledger/ledger-codec.ts';
import { checkEntry, putEntry } from '../../core/store/transact-entry.ts';
import type { Fence } from '../ledger/fenced-ledger.ts';
import { type LedgerStore, ledgerOf } from '../ledger/ledger-store.ts';
import { type Lease, lockLost } from '../ledger/lock.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { untilStopped } from '../store/until-stopped.ts';
import { maxTries, silenceMs } from './take-turn.ts';

const number = (value: number) => ({ N: String(value) });

type UnitPlace = Pick<SegmentUnit, 'migration' | 'step' | 'segment'>;

/** A unit that one invocation has to itself. Its lease ends soon after it was last seen to be this one's. */
export class UnitClaim {
  readonly #environment: MigrateEnvironment;
  readonly #store: LedgerStore;
  readonly #place: UnitPlace;
  readonly #attempt: number;
  readonly #by: string;
  readonly lease: Lease;

  constructor(environment: MigrateEnvironment, place: UnitPlace, { token, holder }: Lease, attempt: number, by: string) {
    this.#environment = environment;
    this.#store = ledgerOf(environment);
    this.#place = place;
    this.#attempt = attempt;
    this.#by = by;
    this.lease = { token, holder, takenOver: undefined, untilMs: 0 };
  }

  /** One of many under a lock: a write passes while its claim is the last one. */
  get fence(): Fence {
    const key = ledgerKey(claimRecord, this.#place);
    return { lease: this.lease, attempt: this.#attempt, renews: false, entry: (table) => checkEntry(table, key, this.#mine()) };
  }

  /** Is it still the last one? What goes to the tables, which no transaction guards, goes only while that was seen lately. */
  async confirm(): Promise<boolean> {
    const at = this.#environment.nowMs();
    const found = await this.#store.get(claimRecord, this.#place);
    if (found?.token !== this.lease.token || found.attempt !== this.#attempt) {
      this.lease.untilMs = 0;
      return false;
    }
    this.lease.untilMs = at + silenceMs(this.#environment);
    return true;
  }

  /** Nothing of it is under way any more. Where that cannot be told, whoever claims it next waits. */
  async end(): Promise<void> {
    const record = { ...this.#place, token: this.lease.token, attempt: this.#attempt, by: this.#by, over: true };
    const item = ledgerItem(claimRecord, record);
    await this.#store.transact(() => [putEntry(this.#store.table, item, this.#mine())]).catch(() => undefined);
  }

  #mine() {
    return all(equals('token', number(this.lease.token)), equals('attempt', number(this.#attempt)));
  }
}

/**
 * Makes a unit this invocation's own: whoever had it before can write nothing more of it. Refused when a newer execution or a local
 * run has it; undefined when others claim it again and again.
 */
export async function claimUnit(
  environment: MigrateEnvironment,
  { migration, step, segment }: SegmentUnit,
  lock: Lease,
  by: string,
  stop: AbortSignal,
): Promise<UnitClaim | undefined> {
  const store = ledgerOf(environment);
  const place = { migration, step, segment };
  const { token } = lock;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const found = await store.get(claimRecord, place);
    if (found !== undefined && found.token > token) throw lockLost(lock);
    const attempt = found?.token === token ? found.attempt + 1 : 1;
    const asRead =
      found === undefined ? absent('PK') : all(equals('token', number(found.token)), equals('attempt', number(found.attempt)));
    const item = ledgerItem(claimRecord, { ...place, token, attempt, by });
    const answer = await store.transact(() => [putEntry(store.table, item, asRead)]);
    if (!answer.done) continue;
    if (found !== undefined && found.over !== true) await untilStopped(environment.sleep(silenceMs(environment), stop), stop);
    return new UnitClaim(environment, place, lock, attempt, by);
  }
  return undefined;
}
