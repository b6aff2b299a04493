import { claimRecord } from '../../../tables/model/ledger/lock-records.ts';
import {
  type Pass,
  type SegmentRecord,
  type SegmentUnit,
  type StepRecord,
  stepRecord,
} from '../../../tables/model/ledger/migration-records.ts';
import { put, setMembers } from '../../core/ledger/ledger-write.ts';
import { addCounts, addUnits, noCounts, noUnits } from '../../core/migrate/counts.ts';
import { isPass, type PassStep, type Step } from '../../core/migrate/define-migration.ts';
import { awaitIndexes } from './await-indexes.ts';
import { KeyPace } from './backfill/key-pace.ts';
import { type PassContext, PassMeter, tableNameOf } from './backfill/pass-context.ts';
import { readLookup } from './backfill/read-lookup.ts';
import { runSegment } from './backfill/run-segment.ts';
import { verifySegment } from './backfill/verify-segment.ts';
import { itemsIn, startWatch } from './backfill/watch-pass.ts';
import { customHandle } from './custom-step.ts';
import { applyCutoverStep } from './cutover-step.ts';
import { addIndexStep, dropIndexStep } from './index-steps.ts';
import { type RunContext, stepOf } from './run-context.ts';
import { Segments } from './segments.ts';
import { stoppedStep } from './stopped-step.ts';
import { runTransferStep } from './transfer-step.ts';

/** Runs the steps that are not done yet, in order. False when it was stopped before the last one ended. */
export async function runSteps(run: RunContext): Promise<boolean> {
  for (const [at, step] of run.migration.steps.entries()) {
    if (run.stop.aborted || run.elsewhere?.stopping === true) return false;
    const known = await run.reader.step(run.id, run.generation, at);
    if (known?.done === true) continue;
    const isDone = await runStep(run, step, at, known);
    if (!isDone) return false;
    await run.ledger.commit([setMembers(stepRecord, stepOf(run, at), { done: true })]);
  }
  return true;
}

async function runStep(run: RunContext, step: Step, at: number, known: StepRecord | undefined): Promise<boolean> {
  if (isPass(step)) return (await runPass(run, step, at, 'apply')).outcome === 'done';
  run.elsewhere?.step(step);
  if (known === undefined) {
    // A rollback has to know the patterns without the file.
    const kept = step.kind === 'cutover' ? { checkpoint: step.patterns.map(({ name }) => name) } : {};
    const record = { ...stepOf(run, at), name: step.name, kind: step.kind, segments: 0, done: false, ...kept };
    await run.ledger.commit([put(stepRecord, record)]);
  }
  if (step.kind === 'wait-for-index') return awaitIndexes(run, step);
  if (step.kind === 'add-index') return addIndexStep(run, step, at, known?.checkpoint);
  if (step.kind === 'drop-index') return dropIndexStep(run, step, at);
  if (step.kind === 'stopped') return stoppedStep(run, step, at, known?.checkpoint);
  if (step.kind === 'cutover') return applyCutoverStep(run, step);
  if (step.kind === 'export' || step.kind === 'import') return runTransferStep(run, step, at);
  await step.run(customHandle(run, step, at, known?.checkpoint));
  return !run.stop.aborted;
}

export interface PassResult {
  /** `interrupted`: some segments are not at their end; their checkpoints say how far they are. */
  readonly outcome: 'done' | 'interrupted';
  readonly records: readonly SegmentRecord[];
}

/** Runs all segments of a step at once. If one fails, the others stop at their next checkpoint; then the failure is thrown. */
export async function runPass(run: RunContext, step: PassStep, at: number, pass: Pass): Promise<PassResult> {
  const { environment } = run;
  const segments = await segmentsOf(run, step, at);
  if (run.elsewhere?.stopping === true) return { outcome: 'interrupted', records: [] };
  if (run.elsewhere !== undefined) return { outcome: 'done', records: await run.elsewhere.pass(run, at, pass, segments) };
  const segmented = new Segments(run.stop);
  const { stop } = segmented;
  const opened = await openPass({ ...run, stop }, step, { at, pass, segments });
  const { context, watch } = opened;
  const work = pass === 'verify' ? verifySegment : runSegment;
  const all = Array.from({ length: segments }, (_, segment) => ({ ...context.unit, segment }));
  await takeFromWorkers(run, at, all);
  const records = await segmented.run(all, (one) => work(context, one)).finally(watch.stop);
  const outcome = records.every(({ done }) => done) ? 'done' : 'interrupted';
  const counts = records.reduce((sum, record) => addCounts(sum, record.counts), noCounts);
  const units = records.reduce((sum, record) => addUnits(sum, record.units), noUnits);
  if (outcome === 'done') {
    const elapsedMs = watch.elapsedMs();
    environment.emit({ kind: 'step-done', migration: run.id, step: step.name, pass, counts, units, elapsedMs });
  }
  return { outcome, records };
}

/** Workers of an execution may still be at their units: from here on they can write nothing more. */
async function takeFromWorkers(
  { id, generation, reader, ledger }: RunContext,
  at: number,
  all: readonly SegmentUnit[],
): Promise<void> {
  if ((await reader.step(id, generation, at))?.spread !== true) return;
  const { lease, attempt } = ledger;
  await ledger.commit(
    all.map(({ migration, step, segment }) =>
      put(claimRecord, { migration, step, segment, token: lease.token, attempt, by: lease.holder }),
    ),
  );
}

/** What a pass needs before its first segment, and somebody who tells how it goes. */
export async function openPass(
  run: RunContext,
  step: PassStep,
  { at, pass, segments }: { readonly at: number; readonly pass: Pass; readonly segments: number },
) {
  const { environment, stop } = run;
  const tableName = tableNameOf(environment, step);
  const meter = new PassMeter();
  const keyPace = new KeyPace(step.table, environment.gates.write.of(tableName));
  const unit = { migration: run.id, generation: run.generation, step: at, pass, segments };
  const lookup = await readLookup(environment, step, stop);
  const context: PassContext = { ...run, step, tableName, unit, meter, keyPace, lookup };
  environment.emit({ kind: 'step-started', migration: run.id, step: step.name, pass, segments });
  const expected = await itemsIn(environment, tableName);
  const watched = { environment, migration: run.id, step: step.name, pass, tableName, segments, meter, expected: () => expected };
  return { context, watch: startWatch({ ...watched, heldBy: run.heldBy, sample: run.sample }) };
}

/** How many segments the step has: what its record says, so that cursors keep their meaning when the setting changes. */
export async function segmentsOf(run: RunContext, step: PassStep, at: number): Promise<number> {
  const known = await run.reader.step(run.id, run.generation, at);
  if (known !== undefined) return known.segments;
  // A step whose record is lost has the segments that its checkpoints say: their cursors mean nothing in others.
  const begun = (await run.reader.allSegments(run.id)).find(
    ({ pass, generation, step: of }) => pass === 'apply' && generation === run.generation && of === at,
  );
  const segments = begun?.segments ?? run.environment.tuning.segments;
  const { name, kind, table } = step;
  const record = { ...stepOf(run, at), name, kind, table: table.name, segments, done: false };
  await run.ledger.commit([put(stepRecord, record)]);
  return segments;
}
