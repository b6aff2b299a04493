import { TablewrightError } from '../../../tables/model/error.ts';
import {
  executionRecord,
  type SegmentRecord,
  type SegmentUnit,
  type StepRecord,
} from '../../../tables/model/ledger/migration-records.ts';
import type { TaskOf, UnitAnswer } from '../../../tables/model/runner/order.ts';
import { setMembers } from '../../core/ledger/ledger-write.ts';
import { putSegment } from '../../core/ledger/segment-write.ts';
import { noCounts, noUnits } from '../../core/migrate/counts.ts';
import { isPass } from '../../core/migrate/define-migration.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { FencedLedger } from '../ledger/fenced-ledger.ts';
import { LedgerReader } from '../ledger/ledger-reader.ts';
import { type Lease, lockLost } from '../ledger/lock.ts';
import { historyWriter } from '../ledger/session.ts';
import type { PassContext } from '../migrate/backfill/pass-context.ts';
import { runSegment } from '../migrate/backfill/run-segment.ts';
import { verifySegment } from '../migrate/backfill/verify-segment.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { surveyUnit, undoUnit } from '../migrate/rollback/rollback-unit.ts';
import type { StepContext } from '../migrate/run-context.ts';
import { openPass } from '../migrate/run-steps.ts';
import { untilStopped } from '../store/until-stopped.ts';
import { refuseOrder, remoteEnvironment } from './adopt-lock.ts';
import { claimUnit, type UnitClaim } from './claim-unit.ts';
import { ExecutionWatch } from './execution-watch.ts';

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
  const { pass, execution } = task;
  const { migration, step, generation, segments } = pass;
  const lock: Lease = { token: pass.token, holder: execution.Id, takenOver: undefined, untilMs: 0 };
  const unit: SegmentUnit = { migration, generation, step, pass: pass.pass, segments, segment: task.unit, spread: true };
  const watch = new ExecutionWatch(environment, unit, lock, pass.workers);
  if (!(await watch.holds())) throw lockLost(lock);
  if (await watch.isOver()) return { done: true };
  const jitterMs = environment.random() * Math.min(maxJitterMs, environment.tuning.heartbeatMs);
  await untilStopped(environment.sleep(jitterMs, signal), signal);
  const claim = await claimUnit(environment, unit, lock, environment.actor.host, signal);
  // Others claim it again and again: the machine goes round once more.
  if (claim === undefined) return { done: false };
  // The lock is looked at behind the claim too: a claim that was late is nobody's.
  if (!(await watch.holds())) throw lockLost(lock);
  if (signal.aborted || !(await claim.confirm())) return { done: false };
  const work = { environment, source: sources.find((one) => one.migration.id === migration), task, unit };
  return beating(work, claim, watch, signal);
}

interface UnitWork {
  readonly environment: MigrateEnvironment;
  readonly source: MigrationSource | undefined;
  readonly task: TaskOf<'unit'>;
  readonly unit: SegmentUnit;
}

async function beating(work: UnitWork, claim: UnitClaim, watch: ExecutionWatch, signal: AbortSignal): Promise<UnitAnswer> {
  const { environment, unit } = work;
  const ledger = new FencedLedger(environment, claim.fence);
  const run: StepContext = {
    environment,
    ledger,
    reader: new LedgerReader(environment),
    stop: AbortSignal.any([signal, watch.signal]),
    // A pause ends the execution: nobody is paid for waiting.
    whilePaused: () => Promise.resolve(),
    heldBy: () => undefined,
    history: historyWriter(environment, claim.lease.token),
    id: unit.migration,
    generation: unit.generation,
  };
  const beat = environment.every(environment.tuning.heartbeatMs, () => void watch.beat(claim, ledger));
  try {
    const isDone = (await untilStopped(workOn(run, work), run.stop)) ?? false;
    watch.refuse();
    await claim.end();
    return { done: isDone || watch.signal.aborted };
  } catch (error) {
    // One that fails while another has claimed its unit says nothing of it: that one goes on.
    return await (isLockLost(error)
      ? replaced(watch, error)
      : fail(ledger, unit, claim, error).catch((lost) => replaced(watch, lost)));
  } finally {
    beat();
  }
}

const isLockLost = (error: unknown): boolean => error instanceof TablewrightError && error.code === 'LOCK_LOST';

/** Its unit was claimed by another invocation, which goes on with it; or the lock is lost, which is everybody's end. */
async function replaced(watch: ExecutionWatch, error: unknown): Promise<UnitAnswer> {
  if (!isLockLost(error) || !(await watch.holds())) throw error;
  return { done: false };
}

/** False when the time was up first. */
async function workOn(run: StepContext, { source, task, unit }: UnitWork): Promise<boolean> {
  const record = await run.reader.step(unit.migration, unit.generation, unit.step);
  // Rolled back meanwhile: nothing is left to do.
  if (record === undefined) return true;
  if (task.pass.survey === true) return surveyUnit(run, unit);
  if (unit.pass === 'rollback') return undoUnit(run, record, unit, source);
  return passUnit(run, record, unit, source);
}

async function passUnit(
  run: StepContext,
  record: StepRecord,
  unit: SegmentUnit,
  source: MigrationSource | undefined,
): Promise<boolean> {
  const step = source?.migration.steps[unit.step];
  if (source === undefined || step === undefined || !isPass(step)) throw new TypeError(`${run.id}: step ${unit.step} is no pass`);
  const whole = { ...run, migration: source.migration, sample: () => undefined };
  const opened = await openPass(whole, step, { ...record, spread: true }, unit.pass, 1);
  const { meter } = opened.context;
  const countDead = async (): Promise<void> => {
    const all = (await run.reader.dead(run.id)).filter((letter) => letter.step === unit.step);
    meter.dead = Math.max(meter.dead, all.length);
  };
  const context: PassContext = { ...opened.context, countDead };
  const work = unit.pass === 'verify' ? verifyUnit(context, unit) : runSegment(context, unit);
  return (await work.finally(opened.watch.stop)).done;
}

/** Where an earlier invocation of this execution was stopped it goes on; what it has seen is kept at its end. */
async function verifyUnit(context: PassContext, unit: SegmentUnit): Promise<SegmentRecord> {
  const { reader, ledger } = context;
  const { token } = ledger.lease;
  const known = await reader.segment(unit);
  if (known?.token === token && known.done) return known;
  const fresh = { counts: noCounts, units: noUnits, leftovers: [], token };
  const record = await verifySegment(context, unit, known?.token === token ? known : fresh);
  await ledger.commit([putSegment(record)]);
  return record;
}

/** The others see it with their next heartbeat, and `next` ends the migration with it. */
async function fail(ledger: FencedLedger, unit: SegmentUnit, claim: UnitClaim, cause: unknown): Promise<UnitAnswer> {
  const code = cause instanceof TablewrightError ? cause.code : 'MIGRATION_FAILED';
  const [message = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
  await ledger.commit([setMembers(executionRecord, unit, { error: { code, message } })]);
  await claim.end();
  return { done: true };
}
