import type { ConsumedUnits } from '../../../tables/model/ledger/migration-records.ts';
import type { LimiterStatus } from '../../core/capacity/capacity-limiter.ts';
import { noCounts, noUnits } from '../../core/migrate/counts.ts';
import type { MigrateEvent } from '../../core/migrate/migrate-event.ts';
import type { RemoteMigration, RemotePass, RemoteProgress } from './read-progress.ts';

/** Rates are those of the last few seconds. */
const rateWindowMs = 5_000;

/** What the caller knows and the ledger's records do not say. */
export interface Known {
  readonly description: (migration: string) => string;
  /** It had begun before this execution. */
  readonly resumed: (migration: string) => boolean;
  /** Items that DynamoDB last counted in the table; 0 when it does not know. */
  readonly expected: (table: string) => number;
}

interface Seen {
  readonly atMs: number;
  readonly units: ConsumedUnits;
}

const keyOf = ({ migration, generation, step, pass }: RemotePass): string => `${migration} ${generation} ${step} ${pass}`;

/** Turns what the ledger says of an execution, look by look, into the events that a run on this machine tells. */
export class ProgressEvents {
  readonly #known: Known;
  #token: number | undefined;
  readonly #begun = new Set<string>();
  readonly #ended = new Set<string>();
  #pass: RemotePass | undefined;
  #waiting: string | undefined;
  #passSinceMs = 0;
  #seen: readonly Seen[] = [];

  constructor(known: Known) {
    this.#known = known;
  }

  /** `passed`: the pass of the look before is at its end, with these figures; as it was seen last when left out. */
  see(progress: RemoteProgress, atMs: number, passed?: RemotePass): readonly MigrateEvent[] {
    const { token, pass, migrations } = progress;
    const isNew = pass !== undefined && (this.#pass === undefined || keyOf(pass) !== keyOf(this.#pass));
    const isOver = this.#pass !== undefined && (pass === undefined || isNew);
    return [
      ...this.#lock(token),
      ...(isOver ? this.#end(passed ?? this.#pass, atMs) : []),
      ...migrations.flatMap((one) => this.#begin(one)),
      ...(isNew ? this.#start(pass, atMs) : []),
      ...(pass === undefined ? this.#wait(progress) : [this.#progress(pass, progress, atMs)]),
      ...migrations.flatMap((one) => this.#done(one, pass)),
    ];
  }

  /** Between two passes: once for each thing that is waited for. */
  #wait({ waiting, step, migrations }: RemoteProgress): readonly MigrateEvent[] {
    const isNew = waiting !== this.#waiting;
    this.#waiting = waiting;
    const migration = migrations.find(({ state }) => state === 'running')?.id;
    if (!isNew || waiting === undefined || step === undefined || migration === undefined) return [];
    return [{ kind: 'message', migration, step, message: waiting }];
  }

  /** The pass that was seen last, if it is over by this look. */
  over({ pass }: RemoteProgress): RemotePass | undefined {
    const last = this.#pass;
    return last !== undefined && (pass === undefined || keyOf(pass) !== keyOf(last)) ? last : undefined;
  }

  #lock(token: number | undefined): readonly MigrateEvent[] {
    if (token === undefined || token === this.#token) return [];
    this.#token = token;
    return [{ kind: 'lock-taken', token, takenOver: undefined }];
  }

  #begin({ id }: RemoteMigration): readonly MigrateEvent[] {
    if (this.#begun.has(id)) return [];
    this.#begun.add(id);
    const { description, resumed } = this.#known;
    return [{ kind: 'migration-started', migration: id, description: description(id), resumed: resumed(id) }];
  }

  #start(pass: RemotePass, atMs: number): readonly MigrateEvent[] {
    this.#pass = pass;
    this.#passSinceMs = atMs;
    this.#seen = [];
    const { migration, step, pass: kind, segments } = pass;
    return [{ kind: 'step-started', migration, step, pass: kind, segments }];
  }

  #end(passed: RemotePass | undefined, atMs: number): readonly MigrateEvent[] {
    this.#pass = undefined;
    if (passed === undefined || passed.segmentsDone < passed.segments) return [];
    const { migration, step, pass, counts, units } = passed;
    return [{ kind: 'step-done', migration, step, pass, counts, units, elapsedMs: atMs - this.#passSinceMs }];
  }

  #progress(pass: RemotePass, { waiting }: RemoteProgress, atMs: number): MigrateEvent {
    this.#pass = pass;
    // The look before counts however long ago it was: of many units they are further apart than the window.
    const recent = this.#seen.filter((one, at) => atMs - one.atMs <= rateWindowMs || at === this.#seen.length - 1);
    this.#seen = [...recent, { atMs, units: pass.units }];
    const { migration, step, pass: kind, table, counts, units, segments, segmentsDone } = pass;
    return {
      kind: 'progress',
      progress: {
        migration,
        step,
        pass: kind,
        table,
        counts,
        units,
        earlier: { counts: noCounts, units: noUnits },
        segments,
        segmentsDone,
        expected: kind === 'rollback' ? 0 : this.#known.expected(table),
        elapsedMs: atMs - this.#passSinceMs,
        throttles: pass.throttles,
        refusals: [],
        write: this.#limiter(pass, 'write'),
        read: this.#limiter(pass, 'read'),
        told: pass.slow,
        ...(waiting === undefined ? {} : { heldBy: waiting }),
      },
    };
  }

  #limiter({ budget }: RemotePass, what: 'read' | 'write'): LimiterStatus {
    const first = this.#seen[0];
    const last = this.#seen.at(-1);
    const seconds = first === undefined || last === undefined ? 0 : (last.atMs - first.atMs) / 1_000;
    const used = (last?.units[what] ?? 0) - (first?.units[what] ?? 0);
    const allowed = budget[what] === 0 ? Number.POSITIVE_INFINITY : budget[what];
    return { budget: allowed, rate: allowed, consumedPerSecond: seconds <= 0 ? 0 : Math.max(0, used / seconds), costRatio: 1 };
  }

  #done({ id, state, counts, units }: RemoteMigration, pass: RemotePass | undefined): readonly MigrateEvent[] {
    const isOpen = state === 'running' || state === 'applied' || state === 'rolling-back' || pass?.migration === id;
    if (isOpen || this.#ended.has(id)) return [];
    this.#ended.add(id);
    return [{ kind: 'migration-done', migration: id, state, counts, units }];
  }
}
