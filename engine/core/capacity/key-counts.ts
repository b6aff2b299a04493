import { DistinctCount } from './distinct-count.ts';

/** Counters that a purge leaves; twice as many are counted exactly. No key is off by more than one part in so many of all. */
const keptCounters = 2_048;

/** What is known of how often keys occur. */
export interface KeySpread {
  /** Of all keys together. */
  readonly total: number;
  readonly keys: number;
  /** There were few enough to count every one of them. */
  readonly exact: boolean;
  /** Undefined when there are no keys. So many may occur so evenly that none of them stands out: then it has no name. */
  readonly largest: { readonly key: string | undefined; readonly share: number } | undefined;
}

/**
 * Counts keys in bounded memory: exactly while there are few, then only the frequent ones (Misra and Gries, "Finding repeated
 * elements", 1982). What a purge takes from every counter is remembered, so a share is never told too small.
 */
export class KeyCounts {
  readonly #counts = new Map<string, number>();
  readonly #distinct = new DistinctCount();
  #total = 0;
  /** What purges have taken from each counter, at most. */
  #taken = 0;

  add(key: string, weight = 1): void {
    this.#total += weight;
    this.#distinct.add(key);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + weight);
    if (this.#counts.size > 2 * keptCounters) this.#purge();
  }

  get spread(): KeySpread {
    const exact = this.#taken === 0;
    const keys = exact ? this.#counts.size : this.#distinct.estimate;
    if (this.#total === 0) return { total: 0, keys, exact, largest: undefined };
    let largest: { key: string | undefined; weight: number } = { key: undefined, weight: 0 };
    for (const [key, weight] of this.#counts) if (weight > largest.weight) largest = { key, weight };
    const share = Math.min(1, (largest.weight + this.#taken) / this.#total);
    return { total: this.#total, keys, exact, largest: { key: largest.key, share } };
  }

  #purge(): void {
    const weights = [...this.#counts.values()].toSorted((a, b) => b - a);
    const cut = weights[keptCounters] ?? 0;
    this.#taken += cut;
    for (const [key, weight] of this.#counts) {
      if (weight <= cut) this.#counts.delete(key);
      else this.#counts.set(key, weight - cut);
    }
  }
}
