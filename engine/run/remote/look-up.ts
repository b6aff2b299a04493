import { type ErrorCode, errorExitCodes, TablewrightError } from '../../../tables/model/error.ts';
import {
  type ExecutionRecord,
  executionRecord,
  type SegmentRecord,
  type StepRecord,
  stepRecord,
} from '../../../tables/model/ledger/migration-records.ts';
import type { RunnerTask } from '../../../tables/model/runner/order.ts';
import { isoOfEpochMs } from '../../../tables/model/time.ts';
import { put, setMembers } from '../../core/ledger/ledger-write.ts';
import { putSegment, removeSegment } from '../../core/ledger/segment-write.ts';
import { planPass } from '../../core/remote/plan-pass.ts';
import { waitSeconds } from '../../core/remote/wait-seconds.ts';
import { tooManyDead } from '../migrate/backfill/run-segment.ts';
import { type Elsewhere, HandedOver, type UnitsOfPass } from '../migrate/elsewhere.ts';
import { type StepContext, stepOf } from '../migrate/run-context.ts';

export interface LookUpOptions {
  readonly stopping: boolean;
  /** What is no pass is done here. */
  readonly inline: boolean;
  /** The time of this invocation. */
  readonly signal: AbortSignal;
}

/** Passes as `next` goes through them: their units' records decide. */
export function lookUp({ order, execution }: RunnerTask, { stopping, inline, signal }: LookUpOptions): Elsewhere {
  const handOver = async (run: StepContext, step: StepRecord, of: UnitsOfPass, left: readonly number[]): Promise<never> => {
    const heldBy = run.heldBy();
    if (heldBy !== undefined) return rest(run, heldBy);
    // The step's own record first: without it a local run would not know that workers may be at its units.
    const stored = await run.reader.step(run.id, run.generation, step.step);
    if (stored?.spread !== true) await spreadStep(run, step);
    const { token } = run.ledger.lease;
    const { budget } = order;
    const { workers, share, units } = planPass(left, order.workers, budget, run.environment.random);
    const place = { ...stepOf(run, step.step), pass: of.pass };
    const { segments } = step;
    const known = await run.reader.execution(place);
    const record = { ...place, executionArn: execution.Id, token, segments, workers, budget };
    const isKnown = known?.token === token;
    const startedAt = isoOfEpochMs(run.environment.nowMs());
    // What a worker has said of its failure stands.
    await run.ledger.commit([
      isKnown
        ? setMembers(executionRecord, place, { workers, budget, held: undefined })
        : put(executionRecord, { ...record, startedAt }),
    ]);
    const survey = of.survey === true ? { survey: true } : {};
    throw new HandedOver({ kind: 'pass', pass: { ...place, segments, token, workers, share, ...survey }, units, workers });
  };
  return {
    stopping,
    inline: () => {
      if (!inline) throw new HandedOver({ kind: 'inline' });
    },
    wait: async (run, what) => {
      if (!inline) await rest(run, what);
    },
    cut: () => {
      if (signal.aborted && !stopping) throw new HandedOver({ kind: 'wait', seconds: 1 });
    },
    pass: async (run, step, of) => {
      const { token } = run.ledger.lease;
      const records = await unitsOf(run, step, of, token);
      refuseFailure(await run.reader.execution({ ...stepOf(run, step.step), pass: of.pass }), token);
      const dead = records.reduce((sum, { counts }) => sum + counts.dead, 0);
      if (of.pass === 'apply' && dead > run.environment.tuning.maxDeadLetters) throw tooManyDead(run.environment, run.id);
      const done = new Set(records.filter((record) => isAtEnd(record, of)).map(({ segment }) => segment));
      const left = of.units.filter((unit) => !done.has(unit));
      return left.length === 0 ? records : handOver(run, step, of, left);
    },
  };
}

/** Something is waited for by the state machine, which costs nothing meanwhile. */
async function rest({ ledger, environment }: StepContext, what: string): Promise<never> {
  const { lease } = ledger;
  lease.waiting = what;
  // Says why, and keeps the lease, which is nobody else's to extend now. Where it cannot be written, the next look does.
  await ledger.heartbeat().catch(() => undefined);
  throw new HandedOver({ kind: 'wait', seconds: waitSeconds(environment.nowMs() - (lease.sinceMs ?? environment.nowMs())) });
}

function isAtEnd({ done, found }: SegmentRecord, { survey }: UnitsOfPass): boolean {
  return survey === true ? found !== undefined : done;
}

/** What an earlier run has looked at, or taken for undone, is no proof of how things are now. */
async function unitsOf(
  { reader, id, generation }: StepContext,
  { step, segments, spread }: StepRecord,
  { pass, units }: UnitsOfPass,
  token: number,
): Promise<readonly SegmentRecord[]> {
  const place = { migration: id, generation, step, pass, segments };
  const wanted = new Set(units);
  const all = spread === true ? await reader.units([place]) : await reader.allSegments(id);
  return all.filter(
    (record) =>
      record.generation === generation &&
      record.step === step &&
      record.pass === pass &&
      wanted.has(record.segment) &&
      (pass === 'apply' || record.token === token),
  );
}

/**
 * The checkpoints of a step that a run on one machine began: copied into partitions of their own, then the step says so. Copied twice does
 * no harm, and until the step says so nobody reads the copies.
 */
async function spreadStep(run: StepContext, record: StepRecord): Promise<void> {
  const all = await run.reader.allSegments(run.id);
  const own = all.filter(
    ({ generation, step, spread }) => generation === run.generation && step === record.step && spread !== true,
  );
  await run.ledger.commit(own.map((segment) => putSegment({ ...segment, spread: true })));
  await run.ledger.commit([put(stepRecord, { ...record, spread: true })]);
  await run.ledger.commit(own.map(removeSegment));
}

function refuseFailure(known: ExecutionRecord | undefined, token: number): void {
  if (known?.token !== token || known.error === undefined) return;
  const { code, message } = known.error;
  const told = code in errorExitCodes ? (code as ErrorCode) : 'MIGRATION_FAILED';
  throw new TablewrightError(told, message, {
    next: `Correct it, then run it again; 'tablewright history ${known.migration}' shows what happened.`,
  });
}
