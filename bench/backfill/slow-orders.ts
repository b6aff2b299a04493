import { createServer, request as forward, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PartiqlStatement } from '../../engine/core/migrate/statement.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { changed, holdsFor, planStatement } from '../../tests/simulation/statement-plan.ts';
import { bareProducts } from '../../tests/support/bare-products.ts';
import { type PartitionLimits, Partitions } from '../scale/partitions.ts';
import { copyOf } from './copy-table.ts';
import { legacyOrder } from './job.ts';
import { type UpdateRequest, updated } from './update-item.ts';

export interface SlowOrders {
  /** The engine that has the tables themselves, the ledger, and whatever else is asked for. */
  readonly target: string;
  readonly table: string;
  readonly count: number;
  /** Every answer takes so long. */
  readonly answerMs: number;
  /** Other items than the orders of the bench. */
  readonly items?: 'products' | undefined;
  /** As much as a partition takes, and when it is split; any rate when left out. */
  readonly partitions?: PartitionLimits | undefined;
}

interface ScanRequest {
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly Limit?: number;
  readonly Segment?: number;
  readonly TotalSegments?: number;
  readonly ConsistentRead?: boolean;
  readonly ExclusiveStartKey?: Item;
}

/** Items of a page that is not limited, about a megabyte; and of a unit of a read without consistency, which is 8 KB. */
const pageItems = 2_800;
const itemsPerUnit = 24;
/** Of an order and its entry in the index. */
const unitsPerChange = 2;

interface Answer {
  readonly status: number;
  readonly body: object | Buffer;
}

interface Executed {
  readonly Responses: readonly { readonly Error?: { readonly Code: string; readonly Message: string } }[];
  readonly ConsumedCapacity: readonly object[];
}

const ok = (body: object): Answer => ({ status: 200, body });
const text = (value: Item[string] | undefined): string => (value !== undefined && 'S' in value ? value.S : '');

/** The orders of the bench, in memory. It has what the contenders ask of a table, and its conditions hold. */
class Orders {
  readonly #items: Item[];
  readonly #places: ReadonlyMap<string, number>;
  #copied = 0;

  /** Write units since it was opened. */
  units = 0;
  readonly partitions: Partitions | undefined;

  constructor({ count, items, partitions }: SlowOrders) {
    this.#items = items === 'products' ? [...bareProducts(count)] : Array.from({ length: count }, (_, n) => legacyOrder(n));
    this.partitions = partitions === undefined ? undefined : new Partitions(partitions, performance.now());
    this.#places = new Map(this.#items.map((item, at) => [identityOf(item), at]));
  }

  /** Orders with the keys of the index, here or in the copy. */
  get indexed(): number {
    return this.#copied + this.#items.filter(({ GSI1_PK, GSI1_SK }) => GSI1_PK !== undefined && GSI1_SK !== undefined).length;
  }

  scan({ Segment = 0, TotalSegments = 1, Limit = pageItems, ...request }: ScanRequest): Answer {
    const { ProjectionExpression, ExpressionAttributeNames: names = {}, ConsistentRead, ExclusiveStartKey: from } = request;
    const start = Math.floor((Segment * this.#items.length) / TotalSegments);
    const end = Math.floor(((Segment + 1) * this.#items.length) / TotalSegments);
    const first = from === undefined ? start : (this.#places.get(identityOf(from)) ?? end) + 1;
    const last = Math.min(end, first + Math.min(Limit, pageItems));
    const found = this.#items.slice(first, last);
    const wanted = ProjectionExpression?.split(/, ?/).map((name) => names[name] ?? name);
    const Items = wanted === undefined ? found : found.map((item) => pick(item, wanted));
    const key = this.#items[last - 1];
    const next = last < end && key !== undefined ? { LastEvaluatedKey: { PK: key.PK, SK: key.SK } } : {};
    const CapacityUnits = Math.ceil(found.length / itemsPerUnit) * (ConsistentRead === true ? 1 : 0.5);
    return ok({ Items, Count: found.length, ScannedCount: found.length, ConsumedCapacity: { CapacityUnits }, ...next });
  }

  execute(statements: readonly PartiqlStatement[]): Answer {
    let CapacityUnits = 0;
    const Responses = statements.map((statement) => {
      const plan = planStatement(statement);
      const at = this.#places.get(identityOf(plan.equal));
      const item = at === undefined ? undefined : this.#items[at];
      if (at === undefined || item === undefined || !holdsFor(plan, item)) {
        return { Error: { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' } };
      }
      if (this.partitions?.take(identityOf(item), unitsPerChange, performance.now()) === false) {
        return { Error: { Code: 'ProvisionedThroughputExceeded', Message: 'The level of configured throughput was exceeded' } };
      }
      this.#items[at] = changed(plan, item);
      CapacityUnits += unitsPerChange;
      return {};
    });
    this.units += CapacityUnits;
    return ok({ Responses, ConsumedCapacity: [{ CapacityUnits }] });
  }

  /** One alone: its error is the request's. */
  executeOne(statement: PartiqlStatement): Answer {
    const { Responses, ConsumedCapacity } = this.execute([statement]).body as Executed;
    const { Error: failure } = Responses[0] ?? {};
    if (failure === undefined) return ok({ Items: [], ConsumedCapacity: ConsumedCapacity[0] });
    const __type = `com.amazonaws.dynamodb.v20120810#${failure.Code}Exception`;
    return { status: 400, body: { __type, message: failure.Message } };
  }

  update(request: UpdateRequest): Answer {
    const at = this.#places.get(identityOf(request.Key));
    const after = at === undefined ? undefined : updated(request, this.#items[at] ?? {});
    if (at === undefined || after === undefined) {
      const __type = 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException';
      return { status: 400, body: { __type, message: 'The conditional request failed' } };
    }
    this.#items[at] = after;
    return ok({});
  }

  copy(writes: readonly { readonly PutRequest?: { readonly Item: Item } }[]): Answer {
    for (const { PutRequest } of writes) if (PutRequest?.Item.GSI1_PK !== undefined) this.#copied += 1;
    return ok({ UnprocessedItems: {} });
  }
}

const identityOf = ({ PK, SK }: Item): string => `${text(PK)} ${text(SK)}`;

function pick(item: Item, names: readonly string[]): Item {
  const picked: Item = {};
  for (const name of names) {
    const value = item[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** What the table answers; undefined where the engine is to. */
function answerOf(orders: Orders, { table }: SlowOrders, operation: string, body: Buffer): Answer | undefined {
  if (!['Scan', 'UpdateItem', 'ExecuteStatement', 'BatchExecuteStatement', 'BatchWriteItem'].includes(operation))
    return undefined;
  const request = JSON.parse(body.toString()) as { readonly TableName?: string };
  if (operation === 'BatchExecuteStatement') return orders.execute((request as { Statements: PartiqlStatement[] }).Statements);
  if (operation === 'ExecuteStatement') return orders.executeOne(request as unknown as PartiqlStatement);
  if (operation === 'BatchWriteItem') {
    const writes = (request as { RequestItems: Record<string, { PutRequest: { Item: Item } }[]> }).RequestItems[copyOf(table)];
    return writes === undefined ? undefined : orders.copy(writes);
  }
  if (request.TableName !== table) return undefined;
  return operation === 'Scan' ? orders.scan(request as ScanRequest) : orders.update(request as UpdateRequest);
}

/** The engine's answer, without what tells that it is one: statements are to come in AWS's words. */
function ask(target: string, request: IncomingMessage, body: Buffer): Promise<Answer> {
  const { hostname, port } = new URL(target);
  const headers = { ...request.headers, host: `${hostname}:${port}`, 'content-length': String(body.length) };
  return new Promise((resolve, reject) => {
    const sent = forward({ hostname, port, path: '/', method: 'POST', headers }, async (answer) => {
      resolve({ status: answer.statusCode ?? 500, body: await bodyOf(answer) });
    });
    sent.on('error', reject).end(body);
  });
}

/** A table as it is on AWS: every answer takes a while, however many are on their way. */
export async function openSlowOrders(options: SlowOrders): Promise<{ readonly endpoint: string; readonly orders: Orders }> {
  const orders = new Orders(options);
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const dueMs = performance.now() + options.answerMs;
    const operation = String(request.headers['x-amz-target'] ?? '').replace(/^.*\./, '');
    const answer = answerOf(orders, options, operation, body) ?? (await ask(options.target, request, body));
    const bytes = Buffer.isBuffer(answer.body) ? answer.body : Buffer.from(JSON.stringify(answer.body));
    setTimeout(() => {
      response
        .writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0', 'content-length': bytes.length })
        .end(bytes);
    }, dueMs - performance.now());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, orders };
}
