import type { BatchGetRequest, PageAnswer, QueryRequest, ScanRequest, Store } from '../../engine/core/store/store.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { type RetryCause, TablewrightError } from '../../tables/model/error.ts';
import type { Effect } from './busiest-second.ts';
import type { FakeClock } from './fake-clock.ts';

export interface FakeTableOptions {
  /** Bytes of the item with this number; items are numbered from 0. */
  readonly bytes: (id: number) => number;
  readonly items: number;
  readonly latencyMs?: () => number;
  /** A failure in place of the next answer. */
  readonly fails?: () => RetryCause | 'forbidden' | undefined;
  /** Keys of a batch that are left unprocessed. */
  readonly leaves?: () => boolean;
}

const unitBytes = 4_096;
const pageBytes = 1_024 * 1_024;

export const numberOf = (item: Item): number => Number((item.id as { readonly N: string }).N);
export const keyOfNumber = (id: number): Item => ({ id: { N: String(id) } });

/** A table under a fake clock, with DynamoDB's prices for reads. A request takes effect halfway to its answer. */
export class FakeTable implements Pick<Store, 'getItem' | 'query' | 'scan' | 'batchGet'> {
  readonly effects: Effect[] = [];
  readonly requests: { readonly limit?: number | undefined; readonly keys?: readonly Item[] }[] = [];
  readonly #clock: FakeClock;
  readonly #options: FakeTableOptions;

  constructor(clock: FakeClock, options: FakeTableOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  scan = (request: ScanRequest): Promise<PageAnswer> => this.#page(request);
  query = (request: QueryRequest): Promise<PageAnswer> => this.#page(request);

  getItem = async ({ Key, ConsistentRead }: { readonly Key: Item; readonly ConsistentRead?: boolean }) => {
    const { items, units } = await this.batchGet({ TableName: 't', Keys: [Key], ConsistentRead: ConsistentRead === true });
    return { item: items[0], units };
  };

  batchGet = async ({ Keys, ConsistentRead }: BatchGetRequest) => {
    this.requests.push({ keys: Keys });
    return this.#answer(() => {
      const left = Keys.filter(() => this.#options.leaves?.() === true);
      const read = Keys.filter((key) => !left.includes(key));
      const units = read.reduce((sum, key) => sum + this.#unitsOf(this.#bytesOf(numberOf(key)), ConsistentRead), 0);
      return { items: read.filter((key) => numberOf(key) < this.#options.items), unprocessed: left, units };
    });
  };

  #page({
    Limit = Number.POSITIVE_INFINITY,
    ExclusiveStartKey,
    ConsistentRead,
  }: ScanRequest | QueryRequest): Promise<PageAnswer> {
    this.requests.push({ limit: Limit });
    return this.#answer(() => {
      const items: Item[] = [];
      let bytes = 0;
      let id = ExclusiveStartKey === undefined ? 0 : numberOf(ExclusiveStartKey) + 1;
      for (; id < this.#options.items && items.length < Limit && bytes < pageBytes; id += 1) {
        items.push(keyOfNumber(id));
        bytes += this.#bytesOf(id);
      }
      const next = id < this.#options.items ? items.at(-1) : undefined;
      return { items, next, units: this.#unitsOf(bytes, ConsistentRead) };
    });
  }

  #bytesOf(id: number): number {
    return id < this.#options.items ? this.#options.bytes(id) : 0;
  }

  #unitsOf(bytes: number, consistent: boolean | undefined): number {
    return Math.max(1, Math.ceil(bytes / unitBytes)) * (consistent === true ? 1 : 0.5);
  }

  async #answer<A extends { readonly units: number }>(carryOut: () => A): Promise<A> {
    const latencyMs = this.#options.latencyMs?.() ?? 5;
    await this.#clock.sleep(latencyMs / 2);
    const cause = this.#options.fails?.();
    if (cause === 'forbidden') throw new TablewrightError('STORE_FAILED', 't: AccessDeniedException: no');
    if (cause !== undefined)
      throw new TablewrightError('STORE_FAILED', `t: ${cause}`, { repeatable: { cause, tries: 1, what: `t: ${cause}` } });
    const answer = carryOut();
    this.effects.push({ atMs: this.#clock.steadyMs(), units: answer.units });
    await this.#clock.sleep(latencyMs / 2);
    return answer;
  }
}
