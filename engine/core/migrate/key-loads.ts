import type { Item } from '../../../tables/model/attribute-value.ts';
import { canonicalValue } from '../../../tables/model/canonical.ts';
import type { Table } from '../../../tables/model/table.ts';
import { type KeyLoad, segmentsPart } from '../capacity/partition-ceilings.ts';
import { writtenEntries } from './change-units.ts';
import type { GuardedChange } from './decide-item.ts';

/** A change, and the item that it is of, where that is known. */
export interface KnownChange {
  readonly change: GuardedChange;
  readonly item?: Item | undefined;
}

/** What some changes write: entries by part and key, each counted as one unit. */
export interface EntryCounts {
  readonly total: number;
  /** Those of the table itself. */
  readonly own: number;
  readonly parts: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** How the writes of a page fall on single keys. */
export function countEntries(table: Pick<Table, 'key' | 'indexes'>, changes: readonly KnownChange[]): EntryCounts {
  const parts = new Map<string, Map<string, number>>();
  let total = 0;
  let own = 0;
  for (const { change, item } of changes) {
    for (const { part, key } of writtenEntries(table, change, item)) {
      total += 1;
      if (part === '') own += 1;
      if (key === undefined) continue;
      const keys = parts.get(part) ?? new Map<string, number>();
      parts.set(part, keys);
      const name = canonicalValue(key);
      keys.set(name, (keys.get(name) ?? 0) + 1);
    }
  }
  return { total, own, parts };
}

/** What falls on the busiest key of the table and of each index, and on segments, of everything that is being written at the moment. */
export class KeysInFlight {
  readonly #sums = new Map<string, Map<string, number>>();
  #total = 0;
  #own = 0;

  enter(counts: EntryCounts): void {
    this.#add(counts, 1);
  }

  leave(counts: EntryCounts): void {
    this.#add(counts, -1);
  }

  /** `segments`: so many partitions of the table are written to at a time, at most; any number of them when left out. */
  loads(segments?: number): readonly KeyLoad[] {
    const keyed = [...this.#sums].flatMap(([part, keys]) => {
      let most = 0;
      for (const entries of keys.values()) if (entries > most) most = entries;
      return most === 0 ? [] : [{ part, share: most / this.#total }];
    });
    if (segments === undefined || this.#own === 0) return keyed;
    return [...keyed, { part: segmentsPart, share: this.#own / this.#total / Math.max(1, segments) }];
  }

  #add({ total, own, parts }: EntryCounts, sign: 1 | -1): void {
    this.#total += sign * total;
    this.#own += sign * own;
    for (const [part, keys] of parts) {
      const sums = this.#sums.get(part) ?? new Map<string, number>();
      this.#sums.set(part, sums);
      for (const [key, entries] of keys) {
        const sum = (sums.get(key) ?? 0) + sign * entries;
        if (sum === 0) sums.delete(key);
        else sums.set(key, sum);
      }
    }
  }
}
