import { TablewrightError } from '../../../tables/model/error.ts';
import { eventRecord, type HistoryKind } from '../../../tables/model/ledger/migration-records.ts';
import { isoOfEpochMs } from '../../../tables/model/time.ts';
import { type LedgerWrite, put } from '../../core/ledger/ledger-write.ts';
import { AlarmWatch } from '../migrate/alarm-watch.ts';
import type { Elsewhere } from '../migrate/elsewhere.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { LiveSummary } from '../migrate/live-summary.ts';
import { untilStopped } from '../store/until-stopped.ts';
import { FencedLedger, leaseFence } from './fenced-ledger.ts';
import { LedgerReader } from './ledger-reader.ts';
import { isHeld, type Lease, lockLost, releaseLock, takeLock } from './lock.ts';

/** Work under the lock: the heartbeat runs, and everybody who should stop is told. */
export interface Session {
  readonly environment: MigrateEnvironment;
  readonly ledger: FencedLedger;
  readonly reader: LedgerReader;
  /** First Ctrl-C, or the lock is lost. */
  readonly stop: AbortSignal;
  /** Resolves when nobody has paused the runs and no alarm rings. */
  readonly whilePaused: () => Promise<void>;
  /** Why it holds still at present. */
  readonly heldBy: () => string | undefined;
  /** Passes are looked up and not run: workers elsewhere do. */
  readonly elsewhere?: Elsewhere | undefined;
  /** A line of a migration's history, to be stored with what it is about. */
  readonly history: (id: string, kind: HistoryKind, detail?: string) => LedgerWrite;
}

/** Takes the lock, does the work, gives the lock back. */
export async function withLock<T>(
  given: MigrateEnvironment,
  doing: string,
  signal: AbortSignal,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const lease = await takeLock(given, doing);
  given.emit({ kind: 'lock-taken', token: lease.token, takenOver: lease.takenOver });
  // Not given back, it passes by itself; the reason why the work ended matters more.
  return underLease(given, lease, signal, work).finally(() => releaseLock(given, lease).catch(() => undefined));
}

/** Does the work under a lock that is held, and keeps it. */
export async function underLease<T>(
  given: MigrateEnvironment,
  lease: Lease,
  signal: AbortSignal,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const ledger = new FencedLedger(given, leaseFence(lease));
  const live = new LiveSummary(given, ledger);
  const environment = { ...given, emit: alsoTo(given.emit, live.see) };
  const reader = new LedgerReader(environment);
  const lost = new AbortController();
  const asked = new AbortController();
  const pause = new PauseWatch(environment, reader);
  const alarms = new AlarmWatch(environment, lease);
  const beat = environment.every(environment.tuning.heartbeatMs, () => {
    void ledger.heartbeat().catch((error: unknown) => {
      // A passing fault is no loss as long as the lease runs; the next beat may get through.
      const isLost = error instanceof TablewrightError && error.code === 'LOCK_LOST';
      if (isLost || !isHeld(lease, environment.nowMs())) lost.abort(lockLost(lease, error));
    });
    void pause.look();
    void alarms.look(stop);
    void isAskedToStop(reader, lease.token).then((isAsked) => isAsked && asked.abort());
  });
  const stop = AbortSignal.any([signal, lost.signal, asked.signal]);
  const whilePaused = async (): Promise<void> => {
    await pause.wait(stop);
    await alarms.wait(stop);
  };
  try {
    const history = historyWriter(environment, lease.token);
    // One that rings already is waited for before the first page.
    await alarms.look(stop);
    const result = await work({ environment, ledger, reader, stop, history, whilePaused, heldBy: () => alarms.heldBy });
    if (lost.signal.aborted) throw lost.signal.reason;
    return result;
  } finally {
    beat();
    await live.settled();
  }
}

const alsoTo =
  (emit: MigrateEnvironment['emit'], see: MigrateEnvironment['emit']): MigrateEnvironment['emit'] =>
  (event) => {
    emit(event);
    see(event);
  };

/** What cannot be read now is asked again with the next beat. */
export function isAskedToStop(reader: LedgerReader, token: number): Promise<boolean> {
  return reader.stop().then(
    (found) => found?.token === token,
    () => false,
  );
}

export function historyWriter({ nowMs, actor }: MigrateEnvironment, token: number): Session['history'] {
  let sequence = 0;
  return (migration, kind, detail = '') => {
    const at = isoOfEpochMs(nowMs());
    sequence += 1;
    return put(eventRecord, { migration, at, token, sequence, kind, who: actor.who, host: actor.host, detail });
  };
}

const pausePollMs = 500;

/** Whether somebody has paused the runs; looked up with each heartbeat, and more often while it holds. */
class PauseWatch {
  readonly #environment: MigrateEnvironment;
  readonly #reader: LedgerReader;
  #pausedBy: string | undefined;

  constructor(environment: MigrateEnvironment, reader: LedgerReader) {
    this.#environment = environment;
    this.#reader = reader;
  }

  async look(): Promise<void> {
    const by = await this.#reader.pause().then(
      (found) => found?.by,
      // A record that says nothing is one all the same; what cannot be read now leaves things as they were.
      (error: unknown) => (isDamage(error) ? 'somebody' : this.#pausedBy),
    );
    if (by === this.#pausedBy) return;
    this.#pausedBy = by;
    this.#environment.emit(by === undefined ? { kind: 'resumed' } : { kind: 'paused', by });
  }

  async wait(stop: AbortSignal): Promise<void> {
    while (this.#pausedBy !== undefined && !stop.aborted) {
      await untilStopped(this.#environment.sleep(pausePollMs, stop), stop);
      await this.look();
    }
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof TablewrightError && error.code === 'LEDGER_DAMAGED';
}
