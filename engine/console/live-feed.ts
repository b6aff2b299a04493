import { holderText } from '../core/remote/holder-text.ts';
import { LiveReader, type LiveRun, type LiveStatus } from '../run/migrate/read-live.ts';
import { restAfterLookMs } from '../run/remote/watch-execution.ts';
import type { ConsoleEnvironment } from './console-environment.ts';
import { segmentStrip } from './view/segment-strip.ts';
import type { LiveAnswer, Trouble } from './wire-types.ts';

/** How often the ledger is asked while somebody watches. */
export const askEveryMs = 1_000;
/** Dead letters that are told with their reasons; all are on the migration's own page. */
const shownDead = 5;

type Told = { readonly live: LiveAnswer } | { readonly trouble: Trouble };
type Watcher = (told: Told) => void;

/** One look at the ledger a second for all pages that watch; none when nobody does. */
export class LiveFeed {
  readonly #environment: ConsoleEnvironment;
  readonly #describe: (error: unknown) => Trouble;
  readonly #reader: LiveReader;
  readonly #watchers = new Set<Watcher>();
  #looking = false;

  constructor(environment: ConsoleEnvironment, describe: (error: unknown) => Trouble) {
    this.#environment = environment;
    this.#describe = describe;
    this.#reader = new LiveReader(environment.environment, environment.sources);
  }

  /** Tells from now on, until what it gives is called. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    void this.#look();
    return () => this.#watchers.delete(watcher);
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const { signal } = this.#environment.context;
    while (this.#watchers.size > 0 && !signal.aborted) {
      const told = await this.#ask();
      for (const watcher of this.#watchers) watcher(told);
      const run = 'live' in told ? told.live.run : null;
      // Units of many workers are read one by one.
      const restMs = restAfterLookMs(run?.workers == null ? 0 : (run.live?.segments ?? 0), askEveryMs);
      await this.#environment.environment.sleep(restMs, signal).catch(() => undefined);
    }
    this.#looking = false;
  }

  async #ask(): Promise<Told> {
    try {
      return { live: liveAnswer(await this.#reader.look(), this.#environment.environment.nowMs()) };
    } catch (error) {
      return { trouble: this.#describe(error) };
    }
  }
}

/** What the ledger says at this moment. */
export function liveAnswer({ migrations, lock, paused, run }: LiveStatus, nowMs: number): LiveAnswer {
  return {
    nowMs,
    lock: lock && {
      holder: holderText(lock.holder),
      ...pick(lock, ['doing', 'since', 'leaseUntil', 'waiting', 'token']),
    },
    paused: paused && pick(paused, ['by', 'at']),
    states: Object.fromEntries(migrations.map(({ id, state }) => [id, state])),
    counts: Object.fromEntries(
      migrations.flatMap(({ id, state, record }) => (state === 'verified' && record !== null ? [[id, record.counts]] : [])),
    ),
    run: run && runOf(run),
  };
}

function runOf({ migration, live, segments, dead, workers }: LiveRun): NonNullable<LiveAnswer['run']> {
  const latest = dead.toSorted((a, b) => (a.at < b.at ? 1 : -1)).slice(0, shownDead);
  return {
    ...{ migration, live, workers },
    strip: segmentStrip(segments, { segments: live?.segments ?? segments.length, expected: live?.expected ?? 0 }),
    dead: dead.length,
    latestDead: latest.map((letter) => pick(letter, ['shownKey', 'reason', 'at'])),
  };
}

function pick<T, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, K>;
}
