/** The smallest hashes are kept, this many at least: the estimate is off by some 3 % (one over the root of it). */
const keptHashes = 1_024;
const hashRange = 2 ** 53;

/**
 * How many different texts there were, in bounded memory: of the hashes of all, which lie evenly between 0 and 1, only the
 * smallest are kept, and the largest of those tells how densely they lie. Exact as long as there are few.
 */
export class DistinctCount {
  readonly #hashes = new Set<number>();
  /** Hashes from here on are not kept. */
  #below = 1;

  add(text: string): void {
    const hash = hashOf(text) / hashRange;
    if (hash >= this.#below) return;
    this.#hashes.add(hash);
    if (this.#hashes.size > 2 * keptHashes) this.#purge();
  }

  get estimate(): number {
    return this.#below === 1 ? this.#hashes.size : Math.round(this.#hashes.size / this.#below);
  }

  #purge(): void {
    const sorted = [...this.#hashes].toSorted((a, b) => a - b);
    this.#below = sorted[keptHashes] ?? this.#below;
    for (const hash of sorted.slice(keptHashes)) this.#hashes.delete(hash);
  }
}

/** A whole number below 2^53 that looks like chance: two lanes of 32 bits, each multiplied and mixed with the other. */
function hashOf(text: string): number {
  let one = 0xdeadbeef;
  let two = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x9e3779b1);
    two = Math.imul(two ^ code, 0x5f356495);
  }
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(two ^ (two >>> 13), 0xc2b2ae35);
  two = Math.imul(two ^ (two >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
  return (two >>> 11) * 2 ** 32 + (one >>> 0);
}
