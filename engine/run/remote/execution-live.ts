import type { LeaseRecord } from '../../../tables/model/ledger/lock-records.ts';
import type { LiveRecord, SegmentRecord } from '../../../tables/model/ledger/migration-records.ts';
import { isoOfEpochMs } from '../../../tables/model/time.ts';
import { itemsIn } from '../migrate/backfill/watch-pass.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { ItemRate, liveOf } from '../migrate/live-summary.ts';
import { ProgressEvents } from './progress-events.ts';
import { executionPass, type RemotePass } from './read-progress.ts';

/** How the pass that workers are at goes. */
export interface WorkersLook {
  readonly live: LiveRecord;
  readonly units: readonly SegmentRecord[];
  readonly workers: number;
}

/**
 * An execution by many workers, told as a run of one process tells of itself. Nobody speaks for all workers, so it is made from
 * their checkpoints, look by look: whoever watches keeps one of these.
 */
export class ExecutionLive {
  readonly #environment: MigrateEnvironment;
  readonly #expected = new Map<string, number>();
  #events = this.#follow();
  #rate = new ItemRate();
  #execution = '';
  #last: WorkersLook | undefined;

  constructor(environment: MigrateEnvironment) {
    this.#environment = environment;
  }

  /** How it was when it was seen last. */
  get last(): WorkersLook | undefined {
    return this.#last;
  }

  /** How it goes; as it was seen last, between two passes. */
  async look({ holder, token, waiting }: LeaseRecord, migration: string): Promise<WorkersLook | undefined> {
    if (holder !== this.#execution) this.#begin(holder);
    const found = await executionPass(this.#environment, holder, migration);
    if (found === undefined) return this.#last;
    const { pass, units } = found;
    await this.#count(pass.table);
    const atMs = this.#environment.nowMs();
    const seen = { running: true, token, ...(waiting === undefined ? {} : { waiting }), pass, migrations: [] };
    for (const event of this.#events.see(seen, atMs)) {
      if (event.kind !== 'progress') continue;
      const itemsPerSecond = this.#rate.of(event.progress, atMs);
      const live = liveOf(event.progress, { token, at: isoOfEpochMs(atMs), itemsPerSecond });
      this.#last = { live: { ...live, at: this.#changedAt(live) }, units, workers: pass.workers };
    }
    return this.#last;
  }

  #begin(execution: string): void {
    this.#execution = execution;
    this.#events = this.#follow();
    this.#rate = new ItemRate();
    this.#last = undefined;
  }

  #follow(): ProgressEvents {
    return new ProgressEvents({
      description: () => '',
      resumed: () => false,
      expected: (table) => this.#expected.get(table) ?? 0,
    });
  }

  async #count(table: RemotePass['table']): Promise<void> {
    if (table === '' || this.#expected.has(table)) return;
    this.#expected.set(table, await itemsIn(this.#environment, table).catch(() => 0));
  }

  /** A sign of life is a checkpoint, not that somebody looked. */
  #changedAt(live: LiveRecord): string {
    const last = this.#last?.live;
    const isSame =
      last !== undefined &&
      [last.migration, last.pass, last.step].join() === [live.migration, live.pass, live.step].join() &&
      last.counts.scanned === live.counts.scanned &&
      last.segmentsDone === live.segmentsDone;
    return isSame ? last.at : live.at;
  }
}
