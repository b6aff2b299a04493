import type { LeaseRecord } from '../../../tables/model/ledger/lock-records.ts';
import type { DeadRecord, LiveRecord, SegmentRecord } from '../../../tables/model/ledger/migration-records.ts';
import { executionNameOf } from '../../../tables/model/runner/names.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { LedgerReader } from '../ledger/ledger-reader.ts';
import { ExecutionLive } from '../remote/execution-live.ts';
import type { MigrateEnvironment } from './environment.ts';
import { type MigrationEntry, type MigrationsStatus, readStatus } from './read-status.ts';

/** What the ledger tells of the migration that is being worked on, or was when its runner was last heard of. */
export interface LiveRun {
  readonly migration: string;
  /** What its runner told last, or its workers' checkpoints tell; null where nothing is known of this run. */
  readonly live: LiveRecord | null;
  /** Of the pass that it is in. */
  readonly segments: readonly SegmentRecord[];
  readonly dead: readonly DeadRecord[];
  /** Null for a run of one process. */
  readonly workers: number | null;
}

export interface LiveStatus extends MigrationsStatus {
  readonly run: LiveRun | null;
}

/** How it goes at this moment, wherever and by however many it is run: of the ledger alone. Rates take several looks. */
export class LiveReader {
  readonly #environment: MigrateEnvironment;
  readonly #sources: readonly MigrationSource[];
  readonly #reader: LedgerReader;
  readonly #execution: ExecutionLive;

  constructor(environment: MigrateEnvironment, sources: readonly MigrationSource[]) {
    this.#environment = environment;
    this.#sources = sources;
    this.#reader = new LedgerReader(environment);
    this.#execution = new ExecutionLive(environment);
  }

  async look(): Promise<LiveStatus> {
    const status = await readStatus(this.#environment, this.#sources, 'recorded');
    const { lock, migrations } = status;
    // `applied` is between its backfill and the end of its verify pass, as long as somebody holds the lock.
    const open = lock === null ? ['interrupted', 'rolling-back'] : ['running', 'rolling-back', 'applied'];
    const [first] = open.flatMap((state) => migrations.filter((entry) => entry.state === state));
    return { ...status, run: first === undefined ? null : await this.#run(first, lock) };
  }

  async #run({ id, record }: MigrationEntry, lock: LeaseRecord | null): Promise<LiveRun> {
    const dead = await this.#reader.dead(id);
    const isExecution = lock !== null && executionNameOf(lock.holder) !== undefined;
    const look = isExecution ? await this.#execution.look(lock, id) : this.#execution.last;
    // Of an execution that has ended, what was seen last stays as it was until somebody goes on.
    if (look?.live.migration === id && look.live.token === (lock ?? record)?.token) {
      const { live, units: segments, workers } = look;
      return { migration: id, live, segments, dead, workers };
    }
    const [told, all] = await Promise.all([this.#reader.live(id), this.#reader.allSegments(id)]);
    // What an earlier run told is not how this one goes.
    const live = told !== undefined && told.token === (lock ?? record)?.token ? told : null;
    const pass = live?.pass ?? 'apply';
    const own = all.filter((segment) => segment.pass === pass && segment.generation === (record?.generation ?? 1));
    const last = Math.max(0, ...own.map(({ step }) => step));
    const segments = own.filter(({ step }) => step === last);
    return { migration: id, live, segments, dead, workers: null };
  }
}
