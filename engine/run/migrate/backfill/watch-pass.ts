import type { Pass } from '../../../../tables/tablewright/migration-records.ts';
import type { LimiterStatus, SlowReason } from '../../../core/capacity/capacity-limiter.ts';
import type { PassProgress } from '../../../core/migrate/migrate-event.ts';
import { shownReasons } from '../../../core/store/throttling.ts';
import type { RunContext } from '../run-context.ts';
import type { PassContext } from './pass-context.ts';

/** Tells how it goes, and why it goes slower, until it is stopped. */
export async function startWatch(run: RunContext, context: PassContext, pass: Pass) {
  const { environment, step, tableName, meter, unit } = context;
  const { nowMs, emit, gates, data } = environment;
  const startedMs = nowMs();
  const described = await data.describeTable(tableName);
  const expected = described?.itemCount ?? 0;
  const paces = { write: new PaceWatch(), read: new PaceWatch() };
  const tell = (): void => {
    const write = gates.write.of(tableName).status();
    const read = gates.read.of(tableName).status();
    const { throttles, segmentsDone, earlier } = meter;
    const { counts, units } = meter.present;
    const progress: PassProgress = {
      migration: run.id,
      step: step.name,
      pass,
      table: tableName,
      counts,
      units,
      earlier,
      segments: unit.segments,
      segmentsDone,
      expected,
      elapsedMs: nowMs() - startedMs,
      throttles,
      refusals: meter.refusals.list,
      write,
      read,
      ...(run.heldBy() === undefined ? {} : { heldBy: run.heldBy() }),
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

/** What makes two slow-downs different: not how slow it is, but why. */
function whyOf(slow: SlowReason): string {
  if (slow.kind === 'partition') return `partition ${slow.part}`;
  return slow.kind === 'refused' ? `refused ${shownReasons(slow.reasons) ?? ''}` : slow.kind;
}

/** Tells a change of pace once, when it has lasted. */
class PaceWatch {
  #told: string | undefined;
  #seen: string | undefined;
  #ticks = 0;

  isNew(slow: SlowReason | undefined): boolean {
    const why = slow === undefined ? undefined : whyOf(slow);
    this.#ticks = why === this.#seen ? this.#ticks + 1 : 1;
    this.#seen = why;
    if (this.#ticks < lastingTicks || this.#seen === this.#told) return false;
    this.#told = this.#seen;
    return true;
  }
}
