import type { BatchGetRequest, GetRequest, PageAnswer, QueryRequest, ScanRequest, Store } from '../../engine/core/store/store.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../tables/model/canonical.ts';
import { keyOf } from '../../tables/model/item.ts';
import { type IndexKey, type KeySchema, keyNames, keyParts, type Table } from '../../tables/model/table.ts';
import { ExpressionReader, orderOf } from './evaluate-expression.ts';

export type ReadStore = Pick<Store, 'getItem' | 'query' | 'scan' | 'batchGet'>;
export type Sent =
  | { readonly operation: 'GetItem'; readonly request: GetRequest }
  | { readonly operation: 'Query'; readonly request: QueryRequest }
  | { readonly operation: 'Scan'; readonly request: ScanRequest }
  | { readonly operation: 'BatchGetItem'; readonly request: BatchGetRequest };

export interface MemoryOptions {
  /** The most records that one page looks at, as 1 MB is for DynamoDB. */
  readonly pageItems?: number;
  /** Keys that one BatchGetItem answers; the rest come back unprocessed. */
  readonly batchItems?: number;
}

/** One table that answers reads as DynamoDB does, from its requests' texts. One unit for each record looked at. */
export class MemoryStore implements ReadStore {
  readonly sent: Sent[] = [];
  readonly #table: Table;
  readonly #items: readonly Item[];
  readonly #options: MemoryOptions;

  constructor(table: Table, items: readonly Item[], options: MemoryOptions = {}) {
    this.#table = table;
    this.#items = items;
    this.#options = options;
  }

  async getItem(request: GetRequest) {
    this.sent.push({ operation: 'GetItem', request });
    const item = this.#items.find((candidate) => sameKey(this.#table.key, candidate, request.Key));
    return { item, units: 1 };
  }

  async batchGet(request: BatchGetRequest) {
    this.sent.push({ operation: 'BatchGetItem', request });
    const { batchItems = 100 } = this.#options;
    if (request.Keys.length > 100) throw new Error('more than 100 keys');
    const [asked, unprocessed] = [request.Keys.slice(0, batchItems), request.Keys.slice(batchItems)];
    const items = this.#items.filter((item) => asked.some((key) => sameKey(this.#table.key, item, key)));
    // In no given order.
    return { items: items.toReversed(), unprocessed, units: asked.length };
  }

  async query(request: QueryRequest): Promise<PageAnswer> {
    this.sent.push({ operation: 'Query', request });
    return this.queryNow(request);
  }

  async scan(request: ScanRequest): Promise<PageAnswer> {
    this.sent.push({ operation: 'Scan', request });
    return this.scanNow(request);
  }

  queryNow(request: QueryRequest): PageAnswer {
    const index = this.#table.indexes.find(({ name }) => name === request.IndexName);
    if (request.IndexName !== undefined && index === undefined) throw new Error(`no index ${request.IndexName}`);
    if (index !== undefined && request.ConsistentRead === true) throw new Error('consistent read of an index');
    const schema = index ?? this.#table.key;
    const { key, filter } = conditionsOf(request);
    const held = this.#items.filter((item) => keyNames(schema).every((name) => name in item));
    const sorted = held.filter(key).toSorted((a, b) => orderIn(this.#table, schema, a, b));
    const ordered = request.ScanIndexForward ? sorted : sorted.toReversed();
    const page = this.#page(request, ordered, schema, request.ScanIndexForward ? 1 : -1, filter);
    const projected = index?.projection === 'KEYS_ONLY' ? page.items.map((item) => this.#keysOf(schema, item)) : page.items;
    return request.Select === 'COUNT' ? { ...page, items: [], count: page.items.length } : { ...page, items: projected };
  }

  /** Of the table or an index, or of a segment. Records come by their keys, segment by segment; DynamoDB's order is another. */
  scanNow(request: ScanRequest): PageAnswer {
    const { IndexName, Segment, TotalSegments = 1, ExclusiveStartKey: start } = request;
    const index = this.#table.indexes.find(({ name }) => name === IndexName);
    if (IndexName !== undefined && index === undefined) throw new Error(`no index ${IndexName}`);
    const schema = index ?? this.#table.key;
    const isIn = (item: Item): boolean => Segment === undefined || segmentOf(schema, item, TotalSegments) === Segment;
    // As DynamoDB does: a cursor of another segment is refused.
    if (start !== undefined && !isIn(start)) throw new Error('the start key is outside of the segment');
    const held = this.#items.filter((item) => keyNames(schema).every((name) => name in item) && isIn(item));
    const ordered = held.toSorted((a, b) => orderIn(this.#table, schema, a, b));
    const { filter, project } = conditionsOf(request);
    const page = this.#page(request, ordered, schema, 1, filter);
    return project === undefined ? page : { ...page, items: page.items.map(project) };
  }

  #page(
    { Limit, ExclusiveStartKey: start }: ScanRequest,
    ordered: readonly Item[],
    schema: KeySchema | IndexKey,
    direction: number,
    filter: (item: Item) => boolean,
  ): PageAnswer {
    if (Limit !== undefined && !(Number.isSafeInteger(Limit) && Limit >= 1)) throw new Error(`Limit ${Limit}`);
    if (start !== undefined && Object.keys(start).toSorted().join() !== keysIn(this.#table, schema).toSorted().join()) {
      throw new Error(`the start key has ${Object.keys(start).join()}`);
    }
    const open =
      start === undefined ? ordered : ordered.filter((item) => orderIn(this.#table, schema, item, start) * direction > 0);
    const most = Math.min(Limit ?? Number.POSITIVE_INFINITY, this.#options.pageItems ?? Number.POSITIVE_INFINITY);
    const looked = open.slice(0, most);
    const end = looked.at(-1);
    // As DynamoDB does, a page that was stopped says where, even if nothing comes after.
    const next = looked.length === most && end !== undefined ? this.#keysOf(schema, end) : undefined;
    return { items: looked.filter(filter), next, units: looked.length };
  }

  #keysOf(schema: KeySchema | IndexKey, item: Item): Item {
    return Object.fromEntries(Object.entries(item).filter(([name]) => keysIn(this.#table, schema).includes(name)));
  }
}

function keysIn(table: Pick<Table, 'key'>, schema: KeySchema | IndexKey): readonly string[] {
  return [...new Set([...keyNames(schema), ...keyNames(table.key)])];
}

/** By the key that is read, then by the table's own: entries of an index that tie have a place of their own, too. */
export function orderIn(table: Pick<Table, 'key'>, schema: KeySchema | IndexKey, a: Item, b: Item): number {
  for (const name of keysIn(table, schema)) {
    const [left, right] = [a[name], b[name]];
    const order = left === undefined || right === undefined ? 0 : orderOf(left, right);
    if (order !== 0) return order;
  }
  return 0;
}

function conditionsOf(request: ScanRequest & Partial<Pick<QueryRequest, 'KeyConditionExpression'>>) {
  const reader = new ExpressionReader(request);
  const key = request.KeyConditionExpression === undefined ? () => true : reader.read(request.KeyConditionExpression);
  const filter = request.FilterExpression === undefined ? () => true : reader.read(request.FilterExpression);
  const { ProjectionExpression } = request;
  const names = ProjectionExpression === undefined ? undefined : new Set(reader.readProjection(ProjectionExpression));
  const unused = reader.unused();
  if (unused.length > 0) throw new Error(`unused: ${unused.join(', ')}`);
  const project =
    names === undefined
      ? undefined
      : (item: Item) => Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
  return { key, filter, project };
}

/** Which segment of a parallel scan a partition lies in: segments are cut by a hash of the partition key. */
export function segmentOf(schema: KeySchema | IndexKey, item: Item, total: number): number {
  const text = keyParts(schema)
    .hash.map((hash) => keyIdentity({ hash }, item))
    .join('|');
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return Math.floor((((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32) * total);
}

function sameKey(schema: KeySchema, a: Item, b: Item): boolean {
  return JSON.stringify(keyOf({ key: schema }, a)) === JSON.stringify(keyOf({ key: schema }, b));
}
