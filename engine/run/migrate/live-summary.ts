import { type LiveRecord, liveRecord } from '../../../tables/model/ledger/migration-records.ts';
import { isoOfEpochMs } from '../../../tables/model/time.ts';
import { slownessOf } from '../../core/capacity/slow-text.ts';
import { put } from '../../core/ledger/ledger-write.ts';
import type { MigrateEvent, PassProgress } from '../../core/migrate/migrate-event.ts';
import type { FencedLedger } from '../ledger/fenced-ledger.ts';
import type { MigrateEnvironment } from './environment.ts';

/** How often a runner writes down how it goes. */
export const liveEveryMs = 1_000;
/** The rate that is told is that of the last few seconds. */
const rateWindowMs = 5_000;

type Clock = Pick<MigrateEnvironment, 'nowMs'>;

/**
 * One small record a second, from the events that the run tells anyway, for whoever watches it from elsewhere. Fenced and within
 * the ledger's budget as every write of the run; one at a time, and what falls between two is not written. Nothing depends on it:
 * what ends the run is found out by those who write what counts.
 */
export class LiveSummary {
  readonly #clock: Clock;
  readonly #ledger: Pick<FencedLedger, 'commit' | 'lease'>;
  #writing: Promise<void> | undefined;
  #writtenMs = Number.NEGATIVE_INFINITY;
  readonly #rate = new ItemRate();

  constructor(clock: Clock, ledger: Pick<FencedLedger, 'commit' | 'lease'>) {
    this.#clock = clock;
    this.#ledger = ledger;
  }

  readonly see = (event: MigrateEvent): void => {
    if (event.kind !== 'progress') return;
    const { progress } = event;
    const atMs = this.#clock.nowMs();
    const itemsPerSecond = this.#rate.of(progress, atMs);
    if (this.#writing !== undefined || atMs - this.#writtenMs < liveEveryMs) return;
    this.#writtenMs = atMs;
    const record = liveOf(progress, { token: this.#ledger.lease.token, at: isoOfEpochMs(atMs), itemsPerSecond });
    this.#writing = this.#write(record)
      .catch(() => undefined)
      .finally(() => {
        this.#writing = undefined;
      });
  };

  async #write(record: LiveRecord): Promise<void> {
    await this.#ledger.commit([put(liveRecord, record)]);
  }

  /** What is being written is there, or has failed. */
  async settled(): Promise<void> {
    await this.#writing;
  }
}

/** Items a second of the last few seconds, of this run alone. */
export class ItemRate {
  #samples: readonly { readonly key: string; readonly atMs: number; readonly own: number }[] = [];

  of({ migration, pass, step, counts, earlier }: PassProgress, atMs: number): number {
    const key = `${migration} ${pass} ${step}`;
    const own = counts.scanned - earlier.counts.scanned;
    const kept = this.#samples.filter((one) => one.key === key && atMs - one.atMs <= rateWindowMs && one.own <= own);
    this.#samples = [...kept, { key, atMs, own }];
    const [first] = kept;
    return first === undefined || first.atMs >= atMs ? 0 : ((own - first.own) * 1_000) / (atMs - first.atMs);
  }
}

/** What is told of a run, from how far its pass has got. */
export function liveOf(progress: PassProgress, now: Pick<LiveRecord, 'token' | 'at' | 'itemsPerSecond'>): LiveRecord {
  const { migration, pass, step, table, elapsedMs, counts, expected, throttles, segments, segmentsDone, heldBy } = progress;
  const { read, write } = progress;
  const slow = progress.told ?? slownessOf(write.slow, read.slow);
  return {
    migration,
    ...now,
    itemsPerSecond: rounded(now.itemsPerSecond),
    pass,
    step,
    table,
    elapsedMs,
    counts,
    expected,
    unitsPerSecond: { read: rounded(read.consumedPerSecond), write: rounded(write.consumedPerSecond) },
    budget: { read: finite(read.budget), write: finite(write.budget) },
    throttles,
    segments,
    segmentsDone,
    ...(slow === undefined ? {} : { slow }),
    ...(heldBy === undefined ? {} : { heldBy }),
  };
}

/** 0 stands for no limit. */
const finite = (units: number): number => (Number.isFinite(units) ? units : 0);
const rounded = (value: number): number => Math.round(value * 10) / 10;
