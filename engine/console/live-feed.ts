import { readLive } from '../run/migrate/read-live.ts';
import type { ConsoleEnvironment } from './console-environment.ts';
import type { LiveAnswer, Trouble } from './wire-types.ts';

/** How often the ledger is asked while somebody watches. */
export const askEveryMs = 1_000;

type Told = { readonly live: LiveAnswer } | { readonly trouble: Trouble };
type Watcher = (told: Told) => void;

/** One look at the ledger a second for all pages that watch; none when nobody does. */
export class LiveFeed {
  readonly #environment: ConsoleEnvironment;
  readonly #describe: (error: unknown) => Trouble;
  readonly #watchers = new Set<Watcher>();
  #looking = false;

  constructor(environment: ConsoleEnvironment, describe: (error: unknown) => Trouble) {
    this.#environment = environment;
    this.#describe = describe;
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
      await this.#environment.environment.sleep(askEveryMs, signal).catch(() => undefined);
    }
    this.#looking = false;
  }

  async #ask(): Promise<Told> {
    try {
      return { live: await liveAnswer(this.#environment) };
    } catch (error) {
      return { trouble: this.#describe(error) };
    }
  }
}

/** What the ledger says at this moment. */
export async function liveAnswer({ environment, sources }: ConsoleEnvironment): Promise<LiveAnswer> {
  const { migrations, lock, paused, run } = await readLive(environment, sources);
  return {
    nowMs: environment.nowMs(),
    lock: lock && pick(lock, ['holder', 'doing', 'since', 'leaseUntil', 'waiting', 'token']),
    paused: paused && pick(paused, ['by', 'at']),
    states: Object.fromEntries(migrations.map(({ id, state }) => [id, state])),
    counts: Object.fromEntries(
      migrations.flatMap(({ id, state, record }) => (state === 'verified' && record !== null ? [[id, record.counts]] : [])),
    ),
    run: run && {
      migration: run.migration,
      live: run.live,
      segments: run.segments.map(({ segment, done, counts }) => ({ segment, done, scanned: counts.scanned })),
      dead: run.dead.length,
    },
  };
}

function pick<T, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, K>;
}
