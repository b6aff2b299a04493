import { type Pass, type SegmentRecord, type StepRecord, stepRecord } from '../../../tables/model/ledger/migration-records.ts';
import { put, setMembers } from '../../core/ledger/ledger-write.ts';
import { addCounts, addUnits, noCounts, noUnits } from '../../core/migrate/counts.ts';
import { isPass, type PassStep, type Step } from '../../core/migrate/define-migration.ts';
import { takeUnits } from '../remote/take-units.ts';
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
  // A wait needs nobody to be there.
  if (step.kind !== 'wait-for-index') run.elsewhere?.inline();
  if (known === undefined) {
    // A rollback has to know the patterns without the file.
    const kept = step.kind === 'cutover' ? { checkpoint: step.patterns.map(({ name }) => name) } : {};
    const record = { ...stepOf(run, at), name: step.name, kind: step.kind, segments: 0, done: false, ...kept };
    await run.ledger.commit([put(stepRecord, record)]);
  }
  if (step.kind === 'wait-for-index') return awaitIndexes(run, step, await waitingSince(run, at, known?.checkpoint));
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
  const record = await passRecord(run, step, at);
  const { segments } = record;
  const numbers = Array.from({ length: segments }, (_, segment) => segment);
  if (run.elsewhere?.stopping === true) return { outcome: 'interrupted', records: [] };
  if (run.elsewhere !== undefined) {
    return { outcome: 'done', records: await run.elsewhere.pass(run, record, { pass, units: numbers }) };
  }
  const segmented = new Segments(run.stop);
  const { stop } = segmented;
  const { context, watch } = await openPass({ ...run, stop }, step, record, pass);
  const work = pass === 'verify' ? verifySegment : runSegment;
  const all = numbers.map((segment) => ({ ...context.unit, segment }));
  await takeUnits(run, record);
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

/** What a pass needs before its first segment, and somebody who tells how it goes. `atOnce` segments share this process; all when left out. */
export async function openPass(
  run: RunContext,
  step: PassStep,
  { step: at, segments, spread }: StepRecord,
  pass: Pass,
  atOnce?: number,
) {
  const { environment, stop } = run;
  const tableName = tableNameOf(environment, step);
  const meter = new PassMeter();
  const atWork = (): number => atOnce ?? segments - meter.segmentsDone;
  const keyPace = new KeyPace(step.table, environment.gates.write.of(tableName), atWork);
  const unit = { ...stepOf(run, at), pass, segments, ...(spread === undefined ? {} : { spread }) };
  const lookup = await readLookup(environment, step, stop);
  const context: PassContext = { ...run, step, tableName, unit, meter, keyPace, lookup, atOnce };
  environment.emit({ kind: 'step-started', migration: run.id, step: step.name, pass, segments });
  const expected = await itemsIn(environment, tableName);
  const watched = { environment, migration: run.id, step: step.name, pass, tableName, segments, meter, expected: () => expected };
  return { context, watch: startWatch({ ...watched, heldBy: run.heldBy, sample: run.sample }) };
}

/** The step's record: how many segments it has, so that cursors keep their meaning when the setting changes, and where they lie. */
export async function passRecord(run: RunContext, step: PassStep, at: number): Promise<StepRecord> {
  const known = await run.reader.step(run.id, run.generation, at);
  if (known !== undefined) return known;
  // A step whose record is lost has the segments that its checkpoints say: their cursors mean nothing in others.
  const begun = (await run.reader.allSegments(run.id)).find(
    ({ pass, generation, step: of }) => pass === 'apply' && generation === run.generation && of === at,
  );
  const segments = begun?.segments ?? run.environment.tuning.segments;
  const { name, kind, table } = step;
  const spread = begun?.spread === true ? { spread: true } : {};
  const record = { ...stepOf(run, at), name, kind, table: table.name, segments, done: false, ...spread };
  await run.ledger.commit([put(stepRecord, record)]);
  return record;
}

/** Since when an execution waits in a step: it comes by many times. A run on one machine waits in one go. */
async function waitingSince(run: RunContext, at: number, known: unknown): Promise<number> {
  const now = run.environment.nowMs();
  if (run.elsewhere === undefined) return now;
  const { token } = run.ledger.lease;
  const { token: by, sinceMs } = (known ?? {}) as { readonly token?: unknown; readonly sinceMs?: unknown };
  if (by === token && typeof sinceMs === 'number') return sinceMs;
  await run.ledger.commit([setMembers(stepRecord, stepOf(run, at), { checkpoint: { token, sinceMs: now } })]);
  return now;
}
