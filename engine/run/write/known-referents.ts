import { keyIdentity } from '../../../tables/model/canonical.ts';
import type { Referent } from '../../../tables/model/reference.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { type ReadEnvironment, readAll } from '../read/read-pattern.ts';
import { getOne } from '../store/read-keys.ts';

/** A record that was there may be taken for there as long as this. */
export const defaultReferenceMs = 5_000;
/** Records that are remembered to be there. */
export const maxKnownReferents = 10_000;

export interface KnownReferentsOptions {
  readonly environment: ReadEnvironment;
  /** Since any moment, in milliseconds; only differences count. */
  readonly steadyMs: () => number;
  readonly cacheMs?: number | undefined;
}

interface Known {
  readonly untilMs: number;
  readonly isThere: Promise<boolean>;
}

/**
 * Whether the records that others refer to are there: by a consistent read, remembered for a moment. That one is missing is
 * never remembered, so that it is found as soon as it is written.
 */
export class KnownReferents {
  readonly #options: KnownReferentsOptions;
  readonly #known = new Map<string, Known>();

  constructor(options: KnownReferentsOptions) {
    this.#options = options;
  }

  /** What is to be said of those that are missing. */
  async missing(referents: readonly Referent[], signal?: AbortSignal): Promise<readonly string[]> {
    // All are waited for, so that no request outlives the call.
    const there = await Promise.allSettled(referents.map((referent) => this.#isThere(referent, signal)));
    const failed = there.find((answer) => answer.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return referents.filter((_, at) => (there[at] as { readonly value?: boolean }).value !== true).map(({ missing }) => missing);
  }

  async #isThere(referent: Referent, signal: AbortSignal | undefined): Promise<boolean> {
    signal?.throwIfAborted();
    const { steadyMs, cacheMs = defaultReferenceMs } = this.#options;
    const id = `${referent.table.name} ${keyIdentity(referent.table.key, referent.key)}`;
    const known = this.#known.get(id);
    if (known !== undefined && known.untilMs > steadyMs()) return known.isThere;
    // Those that ask while the answer is on its way share it; so nobody's signal stops it.
    const isThere = this.#look(referent);
    this.#remember(id, { untilMs: steadyMs() + cacheMs, isThere });
    const forget = (): void => {
      if (this.#known.get(id)?.isThere === isThere) this.#known.delete(id);
    };
    isThere.then((found) => found || forget(), forget);
    return isThere;
  }

  #remember(id: string, known: Known): void {
    this.#known.delete(id);
    this.#known.set(id, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxKnownReferents && oldest !== undefined) this.#known.delete(oldest);
  }

  async #look({ table, key, orBy }: Referent): Promise<boolean> {
    const { environment } = this.#options;
    const request = { TableName: physicalName(table, environment.names), Key: key, ConsistentRead: true };
    if ((await getOne(environment, request)).item !== undefined) return true;
    return orBy !== undefined && (await readAll(environment, orBy.pattern, orBy.params)).items.length > 0;
  }
}
