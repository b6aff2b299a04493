import { executionRecord, type SegmentUnit } from '../../../tables/model/ledger/migration-records.ts';
import { setMembers } from '../../core/ledger/ledger-write.ts';
import { shownAlarms } from '../../core/migrate/alarms.ts';
import type { FencedLedger } from '../ledger/fenced-ledger.ts';
import { LedgerReader } from '../ledger/ledger-reader.ts';
import { extendLease, type Lease, lockLost } from '../ledger/lock.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import type { UnitClaim } from './claim-unit.ts';
import { isStopping } from './next-task.ts';

/**
 * Everybody looks at the same few records, and a partition is read 3,000 times a second (DynamoDB Developer Guide, "Best practices for
 * partition keys"): of so many workers each looks a little less often.
 */
const lookMsPerWorker = 1.5;

/** Is the execution to go on, and the unit still this invocation's? Looked up before the claim and with every heartbeat. */
export class ExecutionWatch {
  readonly #environment: MigrateEnvironment;
  readonly #unit: SegmentUnit;
  readonly #lock: Lease;
  readonly #workers: number;
  readonly #reader: LedgerReader;
  readonly #over = new AbortController();
  #lookedMs: number;
  #isLost = false;

  constructor(environment: MigrateEnvironment, unit: SegmentUnit, lock: Lease, workers: number) {
    this.#environment = environment;
    this.#unit = unit;
    this.#lock = lock;
    this.#workers = workers;
    this.#reader = new LedgerReader(environment);
    this.#lookedMs = environment.nowMs();
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Somebody wants it to stop, another worker has failed, or an alarm rings: nobody is paid for waiting. */
  async isOver(): Promise<boolean> {
    const known = await this.#reader.execution(this.#unit);
    const isEnded = known?.token === this.#lock.token && (known.error !== undefined || known.held !== undefined);
    return isEnded || (await isStopping(this.#environment, this.#lock.token));
  }

  /** Does the execution still hold the lock? */
  async holds(): Promise<boolean> {
    return extendLease(this.#environment, this.#lock);
  }

  /** What cannot be read now is asked again with the next beat; the claim as it was last seen holds for a while. */
  async beat(claim: UnitClaim, ledger: FencedLedger): Promise<void> {
    try {
      if (!(await claim.confirm())) return this.#lose();
      const at = this.#environment.nowMs();
      await this.#lookAtAlarms(ledger);
      if (at - this.#lookedMs < this.#workers * lookMsPerWorker) return;
      this.#lookedMs = at;
      if (!(await this.holds())) this.#lose();
      else if (await this.isOver()) this.#over.abort();
    } catch {
      // Before the next write to a table it is asked whether the claim was seen lately.
    }
  }

  /** One of all workers with each beat: CloudWatch lets an account ask nine times a second. */
  async #lookAtAlarms(ledger: FencedLedger): Promise<void> {
    const { alarms, random } = this.#environment;
    if (alarms === undefined || random() * this.#workers > 1) return;
    const held = shownAlarms((await alarms.look(this.signal)).ringing);
    if (held === undefined) return;
    await ledger.commit([setMembers(executionRecord, this.#unit, { held })]);
    this.#over.abort();
  }

  #lose(): void {
    this.#isLost = true;
    this.#over.abort();
  }

  /** Throws when what was done has come to nobody's knowledge. */
  refuse(): void {
    if (this.#isLost) throw lockLost(this.#lock);
  }
}
