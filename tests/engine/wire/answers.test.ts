import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import * as sdk from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import fc from 'fast-check';
import { type DynamoDBClient, dynamoClient, localCredentials } from '../../../engine/aws/clients.ts';
import { classifyError, type SdkFailure, storeError } from '../../../engine/aws/store/store-error.ts';
import { sdkWire } from '../../../engine/aws/wire/sdk-wire.ts';
import { type Wire, type WireInput, type WireOperation, wireOf } from '../../../engine/aws/wire/wire.ts';
import { toJsonItem } from '../../../engine/core/item/dynamo-json.ts';
import { openDynamo } from '../../../engine/local/local-engine.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import type { TablewrightError } from '../../../tables/model/error.ts';
import { anyItem } from '../../support/any-item.ts';

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

const json = { 'content-type': 'application/x-amz-json-1.0' };
const operations: readonly WireOperation[] = [
  'BatchExecuteStatement',
  'BatchGetItem',
  'BatchWriteItem',
  'Query',
  'Scan',
  'TransactWriteItems',
];

describe('an answer on the wire', function () {
  this.timeout(300_000);
  let reply: Reply = { status: 200, body: '{}' };
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(reply.status, reply.headers ?? json).end(reply.body));
  });
  let client: DynamoDBClient;
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    client = dynamoClient({ region: 'us-east-1', endpoint, maxAttempts: 1, credentials: localCredentials });
  });
  after(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });

  const ask = (wire: Wire, operation: WireOperation): Promise<object> =>
    wire.call(operation, {} as WireInput<typeof operation>).catch((error: unknown) => error as object);
  /** What both ways make of a reply. */
  async function both(operation: WireOperation, to: Reply): Promise<readonly [object, object]> {
    reply = to;
    const own = await ask(wireOf(client), operation);
    return [own, await ask(sdkWire(client), operation)];
  }

  it('is read as the SDK reads it: items, keys, what is left, what was consumed', async () => {
    const items = fc.array(anyItem, { maxLength: 3 });
    const bodyOf = (made: readonly Item[]): Readonly<Record<WireOperation, object>> => {
      const [list, [one = {}]] = [made.map(toJsonItem), made.map(toJsonItem)];
      const ConsumedCapacity = [{ TableName: 't', CapacityUnits: 2.5, GlobalSecondaryIndexes: { i: { CapacityUnits: 1 } } }];
      const page = { Items: list, Count: list.length, ScannedCount: 9, ConsumedCapacity: ConsumedCapacity[0] };
      const puts = list.map((Item) => ({ PutRequest: { Item } }));
      return {
        BatchExecuteStatement: {
          Responses: [
            { TableName: 't' },
            ...list.map((Item) => ({ Error: { Code: 'ConditionalCheckFailed', Message: 'no', Item } })),
            { TableName: 't', Item: one },
          ],
          ConsumedCapacity,
        },
        BatchGetItem: { Responses: { t: list, u: [] }, UnprocessedKeys: { t: { Keys: list, ConsistentRead: true } } },
        BatchWriteItem: { UnprocessedItems: { t: [...puts, { DeleteRequest: { Key: one } }] }, ConsumedCapacity },
        Query: { ...page, LastEvaluatedKey: one },
        Scan: page,
        TransactWriteItems: { ItemCollectionMetrics: { t: [{ ItemCollectionKey: one, SizeEstimateRangeGB: [0, 1] }] } },
      };
    };
    await fc.assert(
      fc.asyncProperty(items, fc.constantFrom(...operations), async (made, operation) => {
        const body = JSON.stringify(bodyOf(made)[operation]);
        const [own, other] = await both(operation, { status: 200, body });
        const { $metadata: _, ...expected } = other as { $metadata?: object };
        expect(isDeepStrictEqual(plain(own), plain(expected)), body).to.equal(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('that an engine gave is read as the SDK reads it, for each operation', async () => {
    const service = await openDynamo({ data: { kind: 'memory' } });
    const own = dynamoClient({ region: 'us-east-1', endpoint: service.endpoint, maxAttempts: 1, credentials: localCredentials });
    const TableName = 'recorded';
    const item = (id: string): Item => ({
      id: { S: id },
      price: { N: '86010.123456789012345678901234567890' },
      bytes: { B: new Uint8Array([0, 255]) },
      odd: { M: { ключ: { L: [{ NULL: true }, { BOOL: false }, { NS: ['1', '2.50'] }] } } },
      names: { SS: ['é', '鍵'] },
    });
    const capacity = { ReturnConsumedCapacity: 'INDEXES' } as const;
    const Statement = `UPDATE "${TableName}" SET "price"=? WHERE "id"=? AND "price"=?`;
    const update = (id: string, from: string) => ({ Statement, Parameters: [{ N: '1' }, { S: id }, { N: from }] });
    const inputs: { readonly [O in WireOperation]: WireInput<O> } = {
      BatchWriteItem: {
        RequestItems: { [TableName]: ['a', 'b', 'c'].map((id) => ({ PutRequest: { Item: item(id) } })) },
        ...capacity,
      },
      TransactWriteItems: { TransactItems: [{ Put: { TableName, Item: item('d') } }], ...capacity },
      BatchExecuteStatement: { Statements: [update('a', '86010.12345678901234567890123456789'), update('b', '2')], ...capacity },
      BatchGetItem: { RequestItems: { [TableName]: { Keys: ['a', 'z'].map((id) => ({ id: { S: id } })) } }, ...capacity },
      Query: { TableName, KeyConditionExpression: 'id = :id', ExpressionAttributeValues: { ':id': { S: 'b' } }, ...capacity },
      Scan: { TableName, Limit: 2, ...capacity },
    };
    try {
      await own.send(
        new sdk.CreateTableCommand({
          TableName,
          KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
          AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
          BillingMode: 'PAY_PER_REQUEST',
        }),
      );
      const recorded: string[] = [];
      for (const [operation, input] of Object.entries(inputs) as [WireOperation, WireInput<WireOperation>][]) {
        const body = Buffer.from(await wireOf(own).text(operation, input as never)).toString();
        const [read, expected] = await both(operation, { status: 200, body });
        const { $metadata: _, ...rest } = expected as { $metadata?: object };
        expect(plain(read), body).to.deep.equal(plain(rest));
        recorded.push(body);
      }
      // They are answers that hold something: items of every type, a page's end, a statement's error.
      for (const part of ['LastEvaluatedKey', 'ConsumedCapacity', '"ключ"', 'ConditionalCheckFailed', '"AP8="']) {
        expect(recorded.join('\n')).to.contain(part);
      }
    } finally {
      own.destroy();
      await service.release();
    }
  });

  const exceptions = Object.entries(sdk).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'function' && value.prototype instanceof sdk.DynamoDBServiceException ? [name] : [],
  );

  it('that is an error of the service is the SDK’s own error, for each that the service has', async () => {
    expect(exceptions.length).to.be.above(30);
    const details = {
      ThrottlingReasons: [{ reason: 'IndexWriteKeyRangeThroughputExceeded', resource: 'arn:aws:dynamodb:::table/t/index/i' }],
      throttlingReasons: [{ reason: 'TableWriteProvisionedThroughputExceeded', resource: 'arn:aws:dynamodb:::table/t' }],
      CancellationReasons: [
        { Code: 'None' },
        { Code: 'ConditionalCheckFailed', Message: 'no', Item: { id: { B: 'AQI=' }, list: { L: [{ BS: ['AA=='] }] } } },
      ],
      Item: { id: { S: '1' }, bytes: { B: 'AQI=' } },
    };
    const names = [...exceptions, 'SerializationException', 'ValidationException', 'AccessDeniedException'];
    for (const name of names) {
      for (const [status, space] of [
        [400, 'com.amazonaws.dynamodb.v20120810#'],
        [400, 'com.amazon.coral.service#'],
        [500, ''],
      ] as const) {
        const body = JSON.stringify({ __type: `${space}${name}`, message: 'words', ...details });
        for (const operation of operations) await sameFailure(operation, { status, body });
      }
    }
    const [found] = await both('Scan', { status: 400, body: JSON.stringify({ __type: 'x#ThrottlingException', ...details }) });
    expect(found).to.have.nested.property('throttlingReasons[0].reason', 'TableWriteProvisionedThroughputExceeded');
  });

  it('that nobody can read is told as the SDK’s is: pages, redirects, halves, other JSON, other errors', async () => {
    const replies: readonly Reply[] = [
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html>\n<p>' },
      { status: 301, headers: { location: 'https://elsewhere.example/' }, body: '' },
      { status: 404, headers: { 'content-type': 'text/plain' }, body: 'not here' },
      { status: 400, body: '{"error":"nope"}' },
      { status: 200, headers: {}, body: 'OK' },
      { status: 200, headers: {}, body: '' },
      { status: 200, body: '{"Items":[{"secret":' },
      { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>502' },
      { status: 500, headers: {}, body: 'boom' },
      { status: 413, body: '{"message":"too large"}' },
      { status: 501, body: '{}' },
      { status: 400, headers: { ...json, 'x-amzn-errortype': 'ThrottlingException:http://x' }, body: '{"Message":"slow"}' },
      { status: 400, body: '{"__type":"com.amazon.coral.service#UnknownOperationException"}' },
      { status: 400, body: '{"__type":"x#Strange","message":"words"}' },
      { status: 503, body: '' },
    ];
    for (const operation of operations) for (const one of replies) await sameFailure(operation, one);
  });

  async function sameFailure(operation: WireOperation, to: Reply): Promise<void> {
    const [own, other] = (await both(operation, to)) as readonly [SdkFailure, SdkFailure];
    const what = `${operation} ${JSON.stringify(to)}`;
    expect(other, what).to.be.instanceOf(Error);
    expect(own.constructor, what).to.equal(other.constructor);
    expect(plain({ ...own, message: own.message, name: own.name }), what).to.deep.equal(
      plain({ ...other, message: other.message, name: other.name }),
    );
    expect(told(own), what).to.deep.equal(told(other));
  }
});

/** Without what is each request's own. */
function plain(value: object): unknown {
  const { clockAheadMs: _, ...rest } = value as { clockAheadMs?: number };
  return JSON.parse(
    JSON.stringify(rest, (name, entry: unknown) =>
      name === 'totalRetryDelay'
        ? undefined
        : entry instanceof Uint8Array
          ? `bytes ${Buffer.from(entry).toString('hex')}`
          : entry,
    ),
  );
}

function told(error: unknown): unknown {
  const { code, message, next, repeatable } = storeError('t', error) as TablewrightError;
  const { kind, ...rest } = classifyError(error, 't') as { readonly kind: string; readonly cause?: string };
  return { code, message, next, repeatable, kind, cause: rest.cause };
}
