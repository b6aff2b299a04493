import { createHash } from 'node:crypto';

export interface PartitionLimits {
  /** Partitions that the table begins with. */
  readonly count: number;
  /** 1,000 on AWS (DynamoDB Developer Guide, "Best practices for designing and using partition keys effectively"). */
  readonly unitsPerSecond: number;
  /** A table that refuses for so long is split: each of its partitions becomes two. AWS names no such time; this one is made up, so that a run sees it. */
  readonly splitAfterMs: number;
}

/** A table's partitions by the hash of the key. Each takes so many units a second, and what it did not use of the last one. */
export class Partitions {
  readonly #limits: PartitionLimits;
  #left: { units: number; atMs: number }[];
  #refusesSinceMs: number | undefined;
  #lastRefusalMs = 0;
  throttles = 0;

  constructor(limits: PartitionLimits, nowMs: number) {
    this.#limits = limits;
    this.#left = Array.from({ length: limits.count }, () => ({ units: limits.unitsPerSecond, atMs: nowMs }));
  }

  get count(): number {
    return this.#left.length;
  }

  /** False when the key's partition has no units left. */
  take(key: string, units: number, nowMs: number): boolean {
    const { unitsPerSecond } = this.#limits;
    const hash = createHash('md5').update(key).digest().readUInt32BE();
    const partition = this.#left[hash % this.#left.length];
    if (partition === undefined) throw new TypeError('a table has partitions');
    const grown = ((nowMs - partition.atMs) / 1_000) * unitsPerSecond;
    Object.assign(partition, { units: Math.min(unitsPerSecond, partition.units + grown), atMs: nowMs });
    if (partition.units < units) {
      this.#refuse(nowMs);
      return false;
    }
    partition.units -= units;
    return true;
  }

  #refuse(nowMs: number): void {
    this.throttles += 1;
    // A second without a refusal: it is not under pressure any more.
    if (nowMs - this.#lastRefusalMs > 1_000) this.#refusesSinceMs = nowMs;
    this.#lastRefusalMs = nowMs;
    if (nowMs - (this.#refusesSinceMs ?? nowMs) < this.#limits.splitAfterMs) return;
    this.#left = this.#left.flatMap((one) => [{ ...one }, { ...one }]);
    this.#refusesSinceMs = undefined;
    this.#lastRefusalMs = 0;
  }
}
