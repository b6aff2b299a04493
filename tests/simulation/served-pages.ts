import type { BatchGetRequest, PageAnswer, ScanRequest } from '../../engine/core/store/store.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import type { Table } from '../../tables/model/table.ts';
import { orderIn, segmentOf } from '../support/memory-store.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { SimulatedServer } from './simulated-server.ts';

/** A page of a segment that a process was given. */
interface ServedPage {
  readonly table: string;
  readonly segment: number;
  readonly segments: number;
  /** From behind this key up to and with that one; undefined is the segment's begin or end. */
  readonly from: Item | undefined;
  readonly to: Item | undefined;
  readonly consistent: boolean;
  /** Every item was seen as it was at this moment, or later. */
  readonly notBeforeMs: number;
}

export interface PagesOptions {
  readonly server: SimulatedServer;
  readonly staleMs: number;
}

/** What processes were shown of the tables, and when. */
export class ServedPages {
  readonly #options: PagesOptions;
  /** By process, and for those of one execution together. */
  readonly #pages = new Map<string, ServedPage[]>();
  /** When one last asked for an item by its key, consistently; by process and crew too. */
  readonly #got = new Map<string, Map<string, number>>();

  constructor(options: PagesOptions) {
    this.#options = options;
  }

  add(process: SimulatedProcess, request: ScanRequest, page: PageAnswer, atMs: number): void {
    const { TableName, Segment = 0, TotalSegments = 1, ExclusiveStartKey, ConsistentRead = false, IndexName } = request;
    if (IndexName !== undefined) return;
    const { staleMs } = this.#options;
    const served: ServedPage = {
      table: TableName,
      segment: Segment,
      segments: TotalSegments,
      from: ExclusiveStartKey,
      to: page.next,
      consistent: ConsistentRead,
      notBeforeMs: ConsistentRead ? atMs : atMs - staleMs,
    };
    for (const who of new Set([process.name, process.crew])) this.#pages.set(who, [...(this.#pages.get(who) ?? []), served]);
  }

  addKeys(process: SimulatedProcess, { TableName, Keys, ConsistentRead }: BatchGetRequest, atMs: number): void {
    if (ConsistentRead !== true) return;
    const table = this.#options.server.table(TableName);
    for (const who of new Set([process.name, process.crew])) {
      const got = this.#got.get(who) ?? new Map<string, number>();
      this.#got.set(who, got);
      for (const key of Keys) got.set(`${TableName} ${table.identityOf(key)}`, atMs);
    }
  }

  /** Has the process or the crew asked for the item itself, at that moment or later? */
  hasGotSince(who: string, table: string, key: Item, sinceMs: number): boolean {
    const identity = this.#options.server.table(table).identityOf(key);
    return (this.#got.get(who)?.get(`${table} ${identity}`) ?? Number.NEGATIVE_INFINITY) >= sinceMs;
  }

  /** As of when the process or the crew has last seen the item with this key; undefined when it never looked there. */
  lastSeenMs(who: string, table: string, key: Item, consistent: boolean): number | undefined {
    const { schema } = this.#options.server.table(table);
    const pages = this.#pages.get(who) ?? [];
    return pages.findLast(
      (page) =>
        page.table === table &&
        (!consistent || page.consistent) &&
        segmentOf(schema.key, key, page.segments) === page.segment &&
        isWithin(schema, key, page.from, page.to),
    )?.notBeforeMs;
  }
}

/** Behind `from`, up to and with `to`; both may be left open. */
export function isWithin(schema: Table, key: Item, from: Item | undefined, to: Item | undefined): boolean {
  const isBehind = from === undefined || orderIn(schema, schema.key, key, from) > 0;
  return isBehind && (to === undefined || orderIn(schema, schema.key, key, to) <= 0);
}
