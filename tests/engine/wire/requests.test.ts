import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { SignatureV4 } from '@smithy/signature-v4';
import { expect } from 'chai';
import fc from 'fast-check';
import { type DynamoDBClient, dynamoClient } from '../../../engine/aws/clients.ts';
import type { NotingHandler } from '../../../engine/aws/noting-handler.ts';
import { DirectWire } from '../../../engine/aws/wire/direct-wire.ts';
import { commandOf, sdkWire } from '../../../engine/aws/wire/sdk-wire.ts';
import { type Wire, wireOf } from '../../../engine/aws/wire/wire.ts';
import { batchWriteStore } from '../../../engine/aws/write/batch-write-store.ts';
import { type AnyRequest, anyRequest } from '../../support/any-request.ts';

interface Seen {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the SDK would send, without its sending: that takes most of the time. */
async function sdkBody(client: DynamoDBClient, { operation, input }: AnyRequest): Promise<string> {
  const command = commandOf(operation, input);
  let body = '';
  command.middlewareStack.add(
    () => async (args) => {
      body = Buffer.from(Uint8Array.from((args.request as { readonly body: Uint8Array }).body)).toString();
      return { response: undefined, output: { $metadata: {} } };
    },
    { step: 'build', priority: 'low', name: 'takeBody' },
  );
  await client.send(command, {});
  return body;
}

const ask = (wire: Wire, { operation, input }: AnyRequest) => wire.call(operation, input as never);

describe('a request of the wire', function () {
  this.timeout(600_000);
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const headers = request.headers as Record<string, string>;
    seen.push({ path: request.url ?? '', headers, body: await text(request) });
    const Responses = headers['x-amz-target']?.endsWith('.BatchGetItem') ? {} : [];
    const answer = JSON.stringify({ Responses, UnprocessedItems: {}, Count: 0 });
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(answer);
  });
  let endpoint = '';
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
  const open = (path = '', more = {}): DynamoDBClient =>
    dynamoClient({
      region: 'eu-west-1',
      endpoint: `${endpoint}${path}`,
      maxAttempts: 1,
      credentials: { ...credentials, ...more },
    });

  async function sentBy(wire: Wire, request: AnyRequest): Promise<Seen> {
    seen.length = 0;
    await ask(wire, request);
    const [only] = seen;
    if (only === undefined || seen.length > 1) throw new Error(`${seen.length} requests came, expected 1`);
    return only;
  }

  /** The header that the SDK's own signer would give the request. */
  async function signature(client: DynamoDBClient, { path, headers: all, body }: Seen, more: object = {}): Promise<string> {
    const { authorization: _, connection: __, ...headers } = all;
    const date = String(headers['x-amz-date']);
    const signer = new SignatureV4({
      credentials: { ...credentials, ...more },
      region: 'eu-west-1',
      service: 'dynamodb',
      sha256: client.config.sha256,
    });
    const signingDate = new Date(date.replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:'));
    const request = { method: 'POST', protocol: 'http:', hostname: '127.0.0.1', path, query: {}, headers, body };
    return String((await signer.sign(request, { signingDate })).headers.authorization);
  }

  it('holds an item that came as text as it is, and made by the SDK the same', async () => {
    const client = open();
    const item = { id: { S: 'é' }, price: { N: '86010.123456789012345678901234567890' } };
    const table = { name: 'orders', key: { hash: { name: 'id', type: 'S' } }, indexes: [] } as const;
    const asText = { text: JSON.stringify(item), bytes: 30, part: item };
    const bodies = [new DirectWire(client, client.config.requestHandler as NotingHandler), sdkWire(client)].map(async (wire) => {
      const from = seen.length;
      await batchWriteStore(client, wire).send(table, [{ table: 'orders', put: item, asText }]);
      return seen.slice(from).map(({ body }) => body);
    });
    const wanted = {
      RequestItems: { orders: [{ PutRequest: { Item: item } }] },
      ReturnConsumedCapacity: 'INDEXES',
    };
    for (const body of (await Promise.all(bodies)).flat()) expect(JSON.parse(body)).to.deep.equal(wanted);
    client.destroy();
  });

  it('has the SDK’s body, and the signature of the SDK’s own signer, for 10,000 generated ones', async () => {
    const client = open();
    const direct = wireOf(client);
    expect(direct).to.be.instanceOf(DirectWire);
    await fc.assert(
      fc.asyncProperty(anyRequest, async (request) => {
        const own = await sentBy(direct, request);
        const other = await sdkBody(client, request);
        expect(isDeepStrictEqual(JSON.parse(own.body), JSON.parse(other)), `${own.body}\n${other}`).to.equal(true);
        expect(own.headers['amz-sdk-request'], 'sent by the SDK').to.equal(undefined);
        expect(own.headers.authorization).to.equal(await signature(client, own));
      }),
      { numRuns: 10_000 },
    );
    client.destroy();
  });

  it('has the SDK’s body also where texts are long, and a request larger than all before it', async () => {
    const client = open();
    const [plain, odd] = ['x', 'é"\\\n\u0001\ud800🗝'];
    const long = [127, 128, 129, 1_000, 70_000, 300_000].flatMap((length) => [
      plain.repeat(length),
      `${plain.repeat(length)}${odd}`,
      odd.repeat(length).slice(0, length),
    ]);
    for (const text of long) {
      const bytes = new Uint8Array(text.length).fill(0xfb);
      const Item = {
        id: { S: text },
        n: { N: '1' },
        [text.slice(0, 500)]: { B: bytes },
        list: { L: [{ S: text }, { SS: [text] }] },
      };
      const request: AnyRequest = {
        operation: 'BatchWriteItem',
        input: { RequestItems: { orders: [{ PutRequest: { Item } }] } },
      };
      const own = await sentBy(wireOf(client), request);
      expect(isDeepStrictEqual(JSON.parse(own.body), JSON.parse(await sdkBody(client, request))), `${text.length}`).to.equal(
        true,
      );
      expect(own.headers.authorization).to.equal(await signature(client, own));
    }
    client.destroy();
  });

  it('has the SDK’s headers, but for those of its repetitions', async () => {
    for (const path of ['', '/some/path', '/a b/ü*(é)/./c']) {
      const more = { sessionToken: 'a/token+of=a session' };
      const client = open(path, more);
      const request: AnyRequest = { operation: 'Scan', input: { TableName: 'table' } };
      const own = await sentBy(wireOf(client), request);
      const other = await sentBy(sdkWire(client), request);
      const { 'amz-sdk-invocation-id': _, 'amz-sdk-request': __, ...expected } = other.headers;
      const changing = { 'x-amz-date': '', authorization: '', 'user-agent': '' };
      expect({ ...own.headers, ...changing }).to.deep.equal({ ...expected, ...changing });
      expect(own.path).to.equal(other.path);
      expect(own.headers['x-amz-security-token']).to.equal(more.sessionToken);
      expect(own.headers.authorization).to.equal(await signature(client, own, more));
      client.destroy();
    }
  });

  it('gives a transaction a token where it has none, as the SDK does', async () => {
    const client = open();
    const Put = { TableName: 'table', Item: { id: { S: '1' } } };
    const request: AnyRequest = { operation: 'TransactWriteItems', input: { TransactItems: [{ Put }] } };
    const tokens = new Set<unknown>();
    for (const wire of [wireOf(client), wireOf(client), sdkWire(client)]) {
      const { ClientRequestToken: token } = JSON.parse((await sentBy(wire, request)).body) as { ClientRequestToken: string };
      expect(token).to.match(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
      tokens.add(token);
    }
    expect(tokens.size).to.equal(3);
    client.destroy();
  });
});
