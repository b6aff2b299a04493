import { TablewrightError } from '../../../tables/model/error.ts';
import {
  executionRecord,
  type SegmentRecord,
  type SegmentUnit,
  segmentRecord,
} from '../../../tables/model/ledger/migration-records.ts';
import type { TaskOf, UnitAnswer } from '../../../tables/model/runner/order.ts';
import { put, setMembers } from '../../core/ledger/ledger-write.ts';
import { noCounts, noUnits } from '../../core/migrate/counts.ts';
import { isPass, type PassStep } from '../../core/migrate/define-migration.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { FencedLedger } from '../ledger/fenced-ledger.ts';
import { LedgerReader } from '../ledger/ledger-reader.ts';
import { extendLease, isHeld, type Lease, lockLost } from '../ledger/lock.ts';
import { historyWriter } from '../ledger/session.ts';
import type { PassContext } from '../migrate/backfill/pass-context.ts';
import { runSegment, tooManyDead } from '../migrate/backfill/run-segment.ts';
import { verifySegment } from '../migrate/backfill/verify-segment.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import type { RunContext } from '../migrate/run-context.ts';
import { openPass } from '../migrate/run-steps.ts';
import { refuseOrder, remoteEnvironment } from './adopt-lock.ts';
import { claimUnit } from './claim-unit.ts';
import { isStopping } from './next-task.ts';

/** Workers that begin together would ask for their first second's units together. */
const maxJitterMs = 1_000;

/** Works on a unit of a pass until it is done, or not to be gone on with, or the time is up. */
export async function runUnit(
  given: MigrateEnvironment,
  sources: readonly MigrationSource[],
  task: TaskOf<'unit'>,
  signal: AbortSignal,
): Promise<UnitAnswer> {
  refuseOrder(task, sources);
  const environment = remoteEnvironment(given, task);
  const { migration, step: at, pass, generation, segments, token } = task.pass;
  const source = sources.find((one) => one.migration.id === migration);
  const step = source?.migration.steps[at];
  if (source === undefined || step === undefined || !isPass(step)) throw new TypeError(`${migration}: step ${at} is no pass`);
  const lease: Lease = { token, holder: task.execution.Id, takenOver: undefined, untilMs: 0 };
  if (!(await extendLease(environment, lease))) throw lockLost(lease);
  const unit = { migration, generation, step: at, pass, segments, segment: task.unit };
  const watch = new ExecutionWatch(environment, unit, lease);
  if (await watch.isOver()) return { done: true };
  await environment
    .sleep(environment.random() * Math.min(maxJitterMs, environment.tuning.heartbeatMs), signal)
    .catch(() => undefined);
  const ledger = new FencedLedger(environment, await claimUnit(environment, unit, lease, environment.actor.host));
  const stop = AbortSignal.any([signal, watch.signal]);
  const run: RunContext = {
    environment,
    ledger,
    reader: new LedgerReader(environment),
    stop,
    // A pause ends the execution: nobody is paid for waiting.
    whilePaused: () => Promise.resolve(),
    heldBy: () => undefined,
    history: historyWriter(environment, token),
    id: migration,
    generation,
    migration: source.migration,
    sample: () => undefined,
  };
  return workOn(run, step, unit, watch);
}

async function workOn(run: RunContext, step: PassStep, unit: SegmentUnit, watch: ExecutionWatch): Promise<UnitAnswer> {
  const { environment, ledger } = run;
  let stopWatching = (): void => undefined;
  try {
    const { step: at, pass, segments } = unit;
    const opened = await openPass(run, step, { at, pass, segments });
    const context: PassContext = { ...opened.context, atOnce: 1 };
    const beat = environment.every(environment.tuning.heartbeatMs, () => void watch.beat(context));
    stopWatching = () => {
      beat();
      opened.watch.stop();
    };
    const { done } = pass === 'verify' ? await verifyUnit(context, unit) : await runSegment(context, unit);
    watch.refuse();
    return { done: done || watch.signal.aborted };
  } catch (error) {
    // Its unit was claimed by another invocation, which goes on with it; or the lock is lost, which is everybody's end.
    if (error instanceof TablewrightError && error.code === 'LOCK_LOST') {
      if (!(await watch.holds())) throw error;
      return { done: false };
    }
    return fail(ledger, unit, error);
  } finally {
    stopWatching();
  }
}

/** Where an earlier invocation of this execution was stopped it goes on; what it has seen is kept at its end. */
async function verifyUnit(context: PassContext, unit: SegmentUnit): Promise<SegmentRecord> {
  const { reader, ledger } = context;
  const { token } = ledger.lease;
  const known = await reader.segment(unit);
  if (known?.token === token && known.done) return known;
  const fresh = { counts: noCounts, units: noUnits, leftovers: [], token };
  const record = await verifySegment(context, unit, known?.token === token ? known : fresh);
  await ledger.commit([put(segmentRecord, record)]);
  return record;
}

/** The others see it with their next heartbeat, and `next` ends the migration with it. */
async function fail(ledger: FencedLedger, unit: SegmentUnit, cause: unknown): Promise<UnitAnswer> {
  const code = cause instanceof TablewrightError ? cause.code : 'MIGRATION_FAILED';
  const [message = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
  await ledger.commit([setMembers(executionRecord, unit, { error: { code, message } })]);
  return { done: true };
}

/** Is the execution to go on? Looked up before the claim and with every heartbeat. */
class ExecutionWatch {
  readonly #environment: MigrateEnvironment;
  readonly #unit: SegmentUnit;
  readonly #lease: Lease;
  readonly #reader: LedgerReader;
  readonly #over = new AbortController();
  #dead = 0;
  #failure: TablewrightError | undefined;

  constructor(environment: MigrateEnvironment, unit: SegmentUnit, lease: Lease) {
    this.#environment = environment;
    this.#unit = unit;
    this.#lease = lease;
    this.#reader = new LedgerReader(environment);
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Somebody wants it to stop, or another worker has failed. */
  async isOver(): Promise<boolean> {
    const known = await this.#reader.execution(this.#unit);
    const hasFailed = known?.token === this.#lease.token && known.error !== undefined;
    return hasFailed || (await isStopping(this.#environment, this.#lease.token));
  }

  /** Does the execution still hold the lock? */
  async holds(): Promise<boolean> {
    return extendLease(this.#environment, this.#lease);
  }

  async beat({ meter }: PassContext): Promise<void> {
    try {
      if (!(await this.holds())) this.#failure = lockLost(this.#lease);
      if (this.#failure !== undefined || (await this.isOver())) this.#over.abort();
      await this.#countDead(meter.dead);
    } catch {
      // What cannot be read now is asked again with the next beat; the lease as it was last seen holds until its end.
      if (!isHeld(this.#lease, this.#environment.nowMs())) this.#over.abort();
    }
  }

  /** Over all workers; whoever adds to them looks. */
  async #countDead(own: number): Promise<void> {
    if (own === this.#dead || this.#unit.pass !== 'apply') return;
    this.#dead = own;
    const { migration } = this.#unit;
    const all = (await this.#reader.dead(migration)).length;
    if (all <= this.#environment.tuning.maxDeadLetters) return;
    this.#failure = tooManyDead(this.#environment, migration);
    this.#over.abort();
  }

  /** Throws what ended the work. */
  refuse(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
