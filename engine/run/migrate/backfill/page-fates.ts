import type { Counts } from '../../../core/migrate/counts.ts';

/** What became of an item of a page: one of the counts, or `unsent` when the run was interrupted before. */
export type Fate = keyof Pick<Counts, 'foreign' | 'expired' | 'right' | 'changed' | 'gone' | 'dead'> | 'unsent';

const gravity: readonly Fate[] = ['foreign', 'expired', 'right', 'gone', 'changed', 'dead', 'unsent'];

/** The fates of a page's items, by their places. */
export class PageFates {
  readonly #fates: (Fate | undefined)[];

  constructor(items: number) {
    this.#fates = Array.from({ length: items }, () => undefined);
  }

  /** An item with several new items has the gravest of their fates. */
  mark(at: number, fate: Fate): void {
    const known = this.#fates[at];
    if (known === undefined || gravity.indexOf(fate) > gravity.indexOf(known)) this.#fates[at] = fate;
  }

  all(): readonly Fate[] {
    return this.#fates.map((fate) => fate ?? 'unsent');
  }
}
