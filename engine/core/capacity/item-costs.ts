/** DynamoDB Developer Guide, "Read capacity units": half a unit reads 4 KB, a whole one 4 KB consistently. */
export const leastReadUnits = 0.5;
/** Scan and Query API references: a page ends after 1 MB; that is 256 times 4 KB. */
export const fullPageUnits = 128;
/** Nothing is known of the items at first, and they reach from nothing to 400 KB: requests grow by this, from one item on. */
const growth = 8;
/** How fast an item's cost falls again after dear ones. */
const fallGain = 0.2;
/** How fast it is forgotten that a request cost more than expected. */
const forgetGain = 0.05;

/**
 * What an item of one kind of request costs, in units of an eventually consistent read, as the answers tell. It says how many
 * items the next request may ask for. Units are rounded up per request, so a small request says little: only what its
 * rounding cannot explain raises the cost.
 */
export class ItemCosts {
  #perItem: number | undefined;
  /** The most items that an answer had; what it cost is known best. */
  #seen = 0;
  #surprise = 0;
  readonly #guess: () => number;

  /** `guess`: what an item may cost before any answer has told. */
  constructor(guess: () => number = () => leastReadUnits) {
    this.#guess = guess;
  }

  get perItem(): number | undefined {
    return this.#perItem;
  }

  /** Units by which requests cost more than expected of late: some items are dearer than others, and each answer is rounded up. */
  get surprise(): number {
    return this.#surprise;
  }

  /** The most items whose request is expected to stay within the units; at least one. */
  itemsWithin(units: number): number {
    if (this.#perItem === undefined) return 1;
    return Math.max(1, Math.min(Math.floor(units / this.#perItem), this.#seen * growth));
  }

  /** What a request for so many items is expected to cost. */
  unitsOf(items: number): number {
    const units = (this.#perItem ?? this.#guess()) * items;
    return Math.max(leastReadUnits, Math.ceil(units / leastReadUnits) * leastReadUnits);
  }

  learn(items: number, units: number): void {
    if (items <= 0 || units <= 0) return;
    if (this.#perItem !== undefined) {
      this.#surprise = Math.max(units - this.unitsOf(items), this.#surprise * (1 - forgetGain));
    }
    const most = units / items;
    const least = (units - leastReadUnits) / items;
    const known = this.#perItem;
    if (known === undefined || least > known || (most < known && items >= 2 * this.#seen)) this.#perItem = most;
    else if (most < known) this.#perItem = known + fallGain * (most - known);
    this.#seen = Math.max(this.#seen, items);
  }
}

/** The costs of all kinds of reads of one table: its pages, those of each index, single items. */
export class ReadCosts {
  readonly #kinds = new Map<string, ItemCosts>();

  of(kind: string): ItemCosts {
    const known = this.#kinds.get(kind);
    if (known !== undefined) return known;
    const costs = new ItemCosts(() => this.#dearest());
    this.#kinds.set(kind, costs);
    return costs;
  }

  /** An item that is dear to one kind of request may be dear to another. */
  #dearest(): number {
    return Math.max(leastReadUnits, ...[...this.#kinds.values()].map(({ perItem }) => perItem ?? 0));
  }
}
