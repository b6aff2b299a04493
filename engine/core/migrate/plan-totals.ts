import type { Item } from '../../../tables/model/attribute-value.ts';
import { canonicalValue, keyIdentity } from '../../../tables/model/canonical.ts';
import { showKey } from '../../../tables/model/item.ts';
import { KeyCounts } from '../capacity/key-counts.ts';
import { bytesPerWriteUnit, writeUnits } from '../capacity/write-units.ts';
import { itemBytes } from '../item/item-size.ts';
import { changeUnits, transactionFactor, writtenEntries } from './change-units.ts';
import { addCounts, addUnits, type ConsumedUnits, type Counts, noCounts, noUnits } from './counts.ts';
import type { GuardedChange } from './decide-item.ts';
import { decidePage, type PageDecisionOptions } from './decide-twice.ts';
import type { PassStep } from './define-migration.ts';
import type { PartSpread } from './partition-plan.ts';

/** Differences that are shown of a step. */
export const maxShownChanges = 3;

/** Bytes that one eventually consistent read unit covers: half of 4 KB each (Developer Guide, "Read capacity units"). */
const bytesPerReadUnit = 8_192;

export interface PlannedDifference {
  readonly key: string;
  readonly change: GuardedChange;
}

export interface PlanSum {
  readonly counts: Counts;
  readonly units: ConsumedUnits;
  /** Items that would be written: what listeners of the table hear of. */
  readonly writes: number;
  readonly parts: readonly PartSpread[];
  readonly differences: readonly PlannedDifference[];
  readonly poison: readonly { readonly key: string; readonly reason: string }[];
}

/** An item that the step would change, and how. */
interface Planned {
  readonly item: Item;
  readonly changes: readonly GuardedChange[];
}

/** Adds up what a step would do to the pages it is shown. */
export class PlanTotals {
  readonly #step: PassStep;
  readonly #differences: PlannedDifference[] = [];
  readonly #poison: { readonly key: string; readonly reason: string }[] = [];
  #counts = noCounts;
  #units = noUnits;
  #bytes = 0;
  #perItemUnit = 0;
  #fixed = 0;
  #writes = 0;
  readonly #keys = new Map<string, KeyCounts>();

  constructor(step: PassStep) {
    this.#step = step;
  }

  get sum(): PlanSum {
    const { scanned } = this.#counts;
    const bytes = scanned === 0 ? 0 : this.#bytes / scanned;
    const write = this.#perItemUnit * writeUnits(bytes) + this.#fixed;
    return {
      counts: this.#counts,
      units: addUnits(this.#units, { write }),
      writes: this.#writes,
      parts: [...this.#keys].map(([part, counts]) => ({
        part,
        spread: counts.spread,
        unitsPerEntry: this.#entryUnits(part, writeUnits(bytes)),
      })),
      differences: this.#differences,
      poison: this.#poison,
    };
  }

  /** Takes a page in and says what would change on it. */
  decide(items: readonly Item[], readUnits: number, options: PageDecisionOptions): readonly Planned[] {
    const counts: Record<string, number> = { scanned: items.length };
    const planned: Planned[] = [];
    const decisions = decidePage(this.#step, items, options);
    for (const [at, item] of items.entries()) {
      const decision = decisions[at] ?? { kind: 'right' };
      if (decision.kind === 'change') planned.push({ item, changes: decision.changes });
      else increase(counts, decision.kind === 'poison' ? 'dead' : decision.kind);
      if (decision.kind === 'poison') this.#addPoison(item, decision.reason);
    }
    this.#counts = addCounts(this.#counts, counts as Partial<Counts>);
    this.#units = addUnits(this.#units, { read: readUnits });
    // What a page consumed tells how large its items really are, which the projection hides; a page is rounded up to half a unit.
    const seen = items.reduce((sum, item) => sum + itemBytes(item), 0);
    this.#bytes += Math.max(seen, (readUnits - 0.5) * bytesPerReadUnit);
    return planned;
  }

  /** Counts what `decide` gave. New items that are there already, by `keyIdentity`, are no change. */
  add(planned: readonly Planned[], present: ReadonlyMap<string, Item>): void {
    const counts: Record<string, number> = {};
    for (const { item, changes } of planned) {
      const own = changes.filter((change) => !isThere(this.#step, change, present));
      const wrong = changes.map((change) => wrongIn(this.#step, change, present)).find((reason) => reason !== undefined);
      increase(counts, wrong !== undefined ? 'dead' : own.length === 0 ? 'right' : 'changed');
      if (wrong !== undefined) this.#addPoison(item, wrong);
      for (const change of own) this.#addCost(change, item);
      const [first] = own;
      if (first !== undefined && this.#differences.length < maxShownChanges) {
        this.#differences.push({ key: showKey(this.#step.table, item), change: first });
      }
    }
    this.#counts = addCounts(this.#counts, counts as Partial<Counts>);
  }

  #addPoison(item: Item, reason: string): void {
    if (this.#poison.length < maxShownChanges) this.#poison.push({ key: showKey(this.#step.table, item), reason });
  }

  /** A part of a change's cost grows with its item, a part does not; what items weigh is known at the end only. */
  #addCost(change: GuardedChange, item: Item): void {
    const one = changeUnits(this.#step.table, change, 0, item);
    const two = changeUnits(this.#step.table, change, 2 * bytesPerWriteUnit, item);
    this.#perItemUnit += two - one;
    this.#fixed += 2 * one - two;
    this.#writes += 1;
    for (const { part, key } of writtenEntries(this.#step.table, change, item)) {
      if (key === undefined) continue;
      const counts = this.#keys.get(part) ?? new KeyCounts();
      this.#keys.set(part, counts);
      counts.add(canonicalValue(key));
    }
  }

  /** What an entry of the table or of an index costs when an item costs so much. */
  #entryUnits(part: string, itemUnits: number): number {
    const { kind, table } = this.#step;
    const isWhole = part === '' || table.indexes.find(({ name }) => name === part)?.projection === 'ALL';
    return (isWhole ? itemUnits : 1) * (kind === 'insert' ? transactionFactor : 1);
  }
}

function isThere({ kind, table }: PassStep, { key }: GuardedChange, present: ReadonlyMap<string, Item>): boolean {
  return kind === 'insert' && present.has(keyIdentity(table.key, key));
}

/** What is wrong about the item that is there in a new one's place. */
function wrongIn({ table }: PassStep, change: GuardedChange, present: ReadonlyMap<string, Item>): string | undefined {
  const there = present.get(keyIdentity(table.key, change.key));
  return there === undefined || change.kind !== 'insert' ? undefined : change.taken?.(there);
}

function increase(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
