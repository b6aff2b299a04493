import type { Pass } from '../../../../tables/model/ledger/migration-records.ts';
import type { LimiterStatus, SlowReason } from '../../../core/capacity/capacity-limiter.ts';
import type { PassProgress } from '../../../core/migrate/migrate-event.ts';
import { shownReasons } from '../../../core/store/throttling.ts';
import type { MigrateEnvironment } from '../environment.ts';
import type { PassMeter } from './pass-context.ts';

/** A pass that is looked at while it goes on. */
export interface Watched {
  readonly environment: MigrateEnvironment;
  readonly migration: string;
  readonly step: string;
  readonly pass: Pass;
  readonly tableName: string;
  readonly segments: number;
  readonly meter: PassMeter;
  /** Items that it will have dealt with in the end, about; 0 when nobody knows. */
  readonly expected: () => number;
  /** Why it holds still, while it does. */
  readonly heldBy: () => string | undefined;
  /** Takes a sample for the report. */
  readonly sample?: ((pass: Pass, progress: PassProgress) => void) | undefined;
}

/** As many items as DynamoDB last counted in the table; 0 when it does not know. */
export async function itemsIn({ data }: MigrateEnvironment, tableName: string): Promise<number> {
  return (await data.describeTable(tableName))?.itemCount ?? 0;
}

/** Tells how it goes, and why it goes slower, until it is stopped. */
export function startWatch(watched: Watched) {
  const { environment, tableName, meter, sample } = watched;
  const { nowMs, emit, gates } = environment;
  const startedMs = nowMs();
  const paces = { write: new PaceWatch(), read: new PaceWatch() };
  const tell = (): void => {
    const write = gates.write.of(tableName).status();
    const read = gates.read.of(tableName).status();
    const { throttles, segmentsDone, earlier } = meter;
    const { counts, units } = meter.present;
    const { migration, step, pass, segments } = watched;
    const heldBy = watched.heldBy();
    const progress: PassProgress = {
      migration,
      step,
      pass,
      table: tableName,
      counts,
      units,
      earlier,
      segments,
      segmentsDone,
      expected: watched.expected(),
      elapsedMs: nowMs() - startedMs,
      throttles,
      refusals: meter.refusals.list,
      write,
      read,
      ...(heldBy === undefined ? {} : { heldBy }),
    };
    emit({ kind: 'progress', progress });
    sample?.(pass, progress);
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
