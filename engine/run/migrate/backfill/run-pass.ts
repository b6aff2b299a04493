import { type Pass, type SegmentRecord, stepRecord } from '../../../../tables/tablewright/migration-records.ts';
import type { LimiterStatus, SlowReason } from '../../../core/capacity/capacity-limiter.ts';
import { put } from '../../../core/ledger/ledger-write.ts';
import { addCounts, addUnits, noCounts, noUnits } from '../../../core/migrate/counts.ts';
import type { PassStep } from '../../../core/migrate/define-migration.ts';
import type { PassProgress } from '../../../core/migrate/migrate-event.ts';
import type { RunContext } from '../run-context.ts';
import { type PassContext, PassMeter, tableNameOf } from './pass-context.ts';
import { readLookup } from './read-lookup.ts';
import { runSegment } from './run-segment.ts';
import { verifySegment } from './verify-segment.ts';

export interface PassResult {
  /** `stopped`: some segments are not at their end; their checkpoints say how far they are. */
  readonly outcome: 'done' | 'interrupted';
  readonly records: readonly SegmentRecord[];
}

/** Runs all segments of a step at once. If one fails, the others stop at their next checkpoint; then the failure is thrown. */
export async function runPass(run: RunContext, step: PassStep, at: number, pass: Pass): Promise<PassResult> {
  const { environment } = run;
  const segments = await segmentsOf(run, step, at);
  const failure = new AbortController();
  const stop = AbortSignal.any([run.stop, failure.signal]);
  const tableName = tableNameOf(environment, step);
  const meter = new PassMeter();
  const unit = { migration: run.id, generation: run.generation, step: at, pass, segments };
  const context: PassContext = { ...run, step, tableName, unit, stop, meter, lookup: await readLookup(environment, step, stop) };
  environment.emit({ kind: 'step-started', migration: run.id, step: step.name, pass, segments });
  const watch = await startWatch(run, context, pass);
  const work = pass === 'verify' ? verifySegment : runSegment;
  let first: { readonly error: unknown } | undefined;
  const finished = await Promise.all(
    Array.from({ length: segments }, (_, segment) =>
      work(context, { ...unit, segment }).catch((error: unknown) => {
        first ??= { error };
        failure.abort();
        return undefined;
      }),
    ),
  );
  watch.stop();
  if (first !== undefined) throw first.error;
  const records = finished.filter((record) => record !== undefined);
  const outcome = records.every(({ done }) => done) ? 'done' : 'interrupted';
  const counts = records.reduce((sum, record) => addCounts(sum, record.counts), noCounts);
  const units = records.reduce((sum, record) => addUnits(sum, record.units), noUnits);
  if (outcome === 'done') {
    const elapsedMs = watch.elapsedMs();
    environment.emit({ kind: 'step-done', migration: run.id, step: step.name, pass, counts, units, elapsedMs });
  }
  return { outcome, records };
}

/** How many segments the step has: what its record says, so that cursors keep their meaning when the setting changes. */
export async function segmentsOf(run: RunContext, step: PassStep, at: number): Promise<number> {
  const known = await run.reader.step(run.id, run.generation, at);
  if (known !== undefined) return known.segments;
  const { segments } = run.environment.tuning;
  const { id: migration, generation } = run;
  const record = { migration, generation, step: at, name: step.name, kind: step.kind, segments, done: false };
  await run.ledger.commit([put(stepRecord, record)]);
  return segments;
}

/** Tells how it goes, and why it goes slower, until it is stopped. */
async function startWatch(run: RunContext, context: PassContext, pass: Pass) {
  const { environment, step, tableName, meter, unit } = context;
  const { nowMs, emit, gates, data } = environment;
  const startedMs = nowMs();
  const described = await data.describeTable(tableName);
  const expected = described?.itemCount ?? 0;
  const paces = { write: new PaceWatch(), read: new PaceWatch() };
  const tell = (): void => {
    const write = gates.write.of(tableName).status();
    const read = gates.read.of(tableName).status();
    const { throttles, segmentsDone } = meter;
    const { counts, units } = meter.present;
    const progress: PassProgress = {
      migration: run.id,
      step: step.name,
      pass,
      table: tableName,
      counts,
      units,
      segments: unit.segments,
      segmentsDone,
      expected,
      elapsedMs: nowMs() - startedMs,
      throttles,
      write,
      read,
    };
    emit({ kind: 'progress', progress });
    run.sample(pass, progress);
    for (const [what, { slow }] of Object.entries({ write, read }) as ['write' | 'read', LimiterStatus][]) {
      if (paces[what].isNew(slow)) emit({ kind: 'pace', table: tableName, what, slow });
    }
  };
  const cancel = environment.every(environment.tuning.progressEveryMs, tell);
  return {
    stop: () => {
      cancel();
      tell();
    },
    elapsedMs: () => nowMs() - startedMs,
  };
}

/** Ticks that a slow-down has to last to be worth a line; what passes sooner is the limiter at its work. */
const lastingTicks = 4;

/** Tells a change of pace once, when it has lasted. */
class PaceWatch {
  #told: string | undefined;
  #seen: string | undefined;
  #ticks = 0;

  isNew(slow: SlowReason | undefined): boolean {
    this.#ticks = slow?.kind === this.#seen ? this.#ticks + 1 : 1;
    this.#seen = slow?.kind;
    if (this.#ticks < lastingTicks || this.#seen === this.#told) return false;
    this.#told = this.#seen;
    return true;
  }
}
