import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { showKey } from '../../../tables/model/item.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import type { Table } from '../../../tables/model/table.ts';
import { pickEntity, tryReadRecord } from '../../../tables/model/unmarshal.ts';
import type { ReadPage } from './read-pattern.ts';

/** What a read has taken so far. */
export interface Consumed {
  readonly records: number;
  readonly pages: number;
  /** Read capacity units, hydration included. */
  readonly units: number;
  /** By Query (or GetItem), or by Scan while the pattern is not cut over. */
  readonly way: 'query' | 'scan';
}

export const nothingConsumed: Consumed = { records: 0, pages: 0, units: 0, way: 'query' };

export function consumedWith(before: Consumed, { records, pages, units, way }: ReadPage): Consumed {
  return { records: before.records + records, pages: before.pages + pages, units: before.units + units, way };
}

export interface ReadingOptions {
  readonly table: Table;
  readonly pattern: Pattern;
  readonly pages: () => AsyncIterable<ReadPage>;
  readonly onConsumed?: ((consumed: Consumed & { readonly pattern: string }) => void) | undefined;
}

/** Typed records as they come. Each iteration reads anew; `consumed` is the sum of all. */
export class Reading<T> implements AsyncIterable<T> {
  readonly #options: ReadingOptions;
  #consumed: Consumed = nothingConsumed;

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  get consumed(): Consumed {
    return this.#consumed;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const { table, pattern, pages, onConsumed } = this.#options;
    for await (const page of pages()) {
      this.#consumed = consumedWith(this.#consumed, page);
      onConsumed?.({ pattern: pattern.name, ...consumedWith(nothingConsumed, page) });
      for (const item of page.items) yield readRecord(table, pattern, item) as T;
    }
  }

  /** All records at once. */
  async all(): Promise<T[]> {
    const records: T[] = [];
    for await (const record of this) records.push(record);
    return records;
  }
}

/** The typed record of an item; one that is not what the catalogue says is named by its key. */
export function readRecord(table: Table, pattern: Pattern, item: Item): unknown {
  const entity = pickEntity(table, pattern.result, item);
  const read = entity === undefined ? { problems: ['its key is none of the pattern’s entities'] } : tryReadRecord(entity, item);
  if ('record' in read) return read.record;
  throw new TablewrightError(
    'BAD_ITEM',
    `${pattern.name}: the record ${showKey(table, item)} is not a valid ${entity?.name ?? 'record'}`,
    {
      problems: read.problems,
      next: "Correct the record, or run the migration that repairs it ('tablewright status').",
    },
  );
}
