import { type Pass, type RefusalCount, type Sample, timelineRecord } from '../../../tables/model/ledger/migration-records.ts';
import { isoOfEpochMs } from '../../../tables/model/time.ts';
import { type LedgerWrite, put } from '../../core/ledger/ledger-write.ts';
import type { PassProgress } from '../../core/migrate/migrate-event.ts';
import { RefusalCounts } from '../../core/migrate/refusal-counts.ts';
import type { MigrateEnvironment } from './environment.ts';

/** More than the report can draw apart; beyond it every other sample is dropped. */
export const maxSamples = 240;
/** At most so much of the curve of a killed run is lost. */
const keepEveryMs = 10_000;

/** Samples of one run, for the report: totals over its passes, without what earlier runs did, at even distances that double as the run grows. */
export class Timeline {
  readonly #environment: Pick<MigrateEnvironment, 'nowMs' | 'budget'>;
  readonly #startedMs: number;
  #keptMs: number;
  #samples: Sample[] = [];
  #latest: Sample | undefined;
  #everyMs = 250;
  /** Totals of the passes before the present one. */
  #base: Omit<Sample, 'ms'> = { scanned: 0, changed: 0, read: 0, write: 0, throttles: 0 };
  #present: { readonly key: string; readonly elapsedMs: number; readonly sample: Omit<Sample, 'ms'> } | undefined;
  /** Of the passes before the present one, and of that one. */
  readonly #pastRefusals = new RefusalCounts();
  #refusals: readonly RefusalCount[] = [];

  constructor(environment: Pick<MigrateEnvironment, 'nowMs' | 'budget'>) {
    this.#environment = environment;
    this.#startedMs = environment.nowMs();
    this.#keptMs = this.#startedMs;
  }

  add(pass: Pass, { step, counts, units, earlier, throttles, refusals, elapsedMs }: PassProgress): void {
    const key = `${pass} ${step}`;
    const present = this.#present;
    // Another pass, or another of the same name.
    const isNew = present !== undefined && (present.key !== key || elapsedMs < present.elapsedMs);
    if (isNew) {
      this.#base = sum(this.#base, present.sample);
      this.#pastRefusals.addAll(this.#refusals);
    }
    this.#refusals = refusals;
    const sample = {
      scanned: counts.scanned - earlier.counts.scanned,
      changed: pass === 'verify' ? 0 : counts.changed - earlier.counts.changed,
      read: units.read - earlier.units.read,
      write: units.write - earlier.units.write,
      throttles,
    };
    this.#present = { key, elapsedMs, sample };
    const ms = this.#environment.nowMs() - this.#startedMs;
    this.#latest = { ms, ...sum(this.#base, sample) };
    const last = this.#samples.at(-1);
    // What is between two samples waits for the later one: dated back, it would look faster than it was.
    if (last !== undefined && ms - last.ms < this.#everyMs) return;
    this.#samples.push(this.#latest);
    if (this.#samples.length <= maxSamples) return;
    this.#samples = this.#samples.filter((_, at) => at % 2 === 1);
    this.#everyMs *= 2;
  }

  /** Now and then, so that a run that is killed is drawn, too. */
  isDue(): boolean {
    const at = this.#environment.nowMs();
    if (at - this.#keptMs < keepEveryMs) return false;
    this.#keptMs = at;
    return true;
  }

  write(migration: string, token: number): LedgerWrite {
    const startedAt = isoOfEpochMs(this.#startedMs);
    const { budget } = this.#environment;
    const isOpen = this.#latest !== undefined && this.#latest.ms > (this.#samples.at(-1)?.ms ?? 0);
    const samples = this.#latest !== undefined && isOpen ? [...this.#samples, this.#latest] : this.#samples;
    const all = new RefusalCounts();
    all.addAll(this.#pastRefusals.list);
    all.addAll(this.#refusals);
    const refusals = all.list.length === 0 ? {} : { refusals: [...all.list] };
    return put(timelineRecord, { migration, token, startedAt, pass: 'apply', budget, samples, ...refusals });
  }
}

function sum(a: Omit<Sample, 'ms'>, b: Omit<Sample, 'ms'>): Omit<Sample, 'ms'> {
  return {
    scanned: a.scanned + b.scanned,
    changed: a.changed + b.changed,
    read: a.read + b.read,
    write: a.write + b.write,
    throttles: a.throttles + b.throttles,
  };
}
