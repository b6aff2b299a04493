import { isoOfEpochMs } from '../../../tables/model/time.ts';
import { type Pass, type RefusalCount, type Sample, timelineRecord } from '../../../tables/tablewright/migration-records.ts';
import { type LedgerWrite, put } from '../../core/ledger/ledger-write.ts';
import type { PassProgress } from '../../core/migrate/migrate-event.ts';
import { RefusalCounts } from '../../core/migrate/refusal-counts.ts';
import type { MigrateEnvironment } from './environment.ts';

/** More than the report can draw apart; beyond it every other sample is dropped. */
export const maxSamples = 240;

/** Samples of one run, for the report: totals over its passes, at even distances that double as the run grows. */
export class Timeline {
  readonly #environment: Pick<MigrateEnvironment, 'nowMs' | 'budget'>;
  readonly #startedMs: number;
  #samples: Sample[] = [];
  #everyMs = 250;
  /** Totals of the passes before the present one. */
  #base: Omit<Sample, 'ms'> = { scanned: 0, changed: 0, read: 0, write: 0, throttles: 0 };
  #present: { readonly key: string; readonly sample: Omit<Sample, 'ms'> } | undefined;
  /** Of the passes before the present one, and of that one. */
  readonly #pastRefusals = new RefusalCounts();
  #refusals: readonly RefusalCount[] = [];

  constructor(environment: Pick<MigrateEnvironment, 'nowMs' | 'budget'>) {
    this.#environment = environment;
    this.#startedMs = environment.nowMs();
  }

  add(pass: Pass, { step, counts, units, throttles, refusals }: PassProgress): void {
    const key = `${pass} ${step}`;
    if (this.#present !== undefined && this.#present.key !== key) {
      this.#base = sum(this.#base, this.#present.sample);
      this.#pastRefusals.addAll(this.#refusals);
    }
    this.#refusals = refusals;
    const changed = pass === 'verify' ? 0 : counts.changed;
    const sample = { scanned: counts.scanned, changed, read: units.read, write: units.write, throttles };
    this.#present = { key, sample };
    const ms = this.#environment.nowMs() - this.#startedMs;
    const last = this.#samples.at(-1);
    const entry = { ms, ...sum(this.#base, sample) };
    if (last !== undefined && ms - last.ms < this.#everyMs) this.#samples[this.#samples.length - 1] = { ...entry, ms: last.ms };
    else this.#samples.push(entry);
    if (this.#samples.length <= maxSamples) return;
    this.#samples = this.#samples.filter((_, at) => at % 2 === 1);
    this.#everyMs *= 2;
  }

  write(migration: string, token: number): LedgerWrite {
    const startedAt = isoOfEpochMs(this.#startedMs);
    const { budget } = this.#environment;
    const all = new RefusalCounts();
    all.addAll(this.#pastRefusals.list);
    all.addAll(this.#refusals);
    const refusals = all.list.length === 0 ? {} : { refusals: [...all.list] };
    return put(timelineRecord, { migration, token, startedAt, pass: 'apply', budget, samples: this.#samples, ...refusals });
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
