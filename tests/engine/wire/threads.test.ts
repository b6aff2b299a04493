import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { SignatureV4 } from '@smithy/signature-v4';
import { expect } from 'chai';
import { type ClientOptions, type DynamoDBClient, dynamoClient } from '../../../engine/aws/clients.ts';
import { lastWaitMs, Patience } from '../../../engine/aws/patience.ts';
import { wireOf } from '../../../engine/aws/wire/wire.ts';
import { batchWriteStore } from '../../../engine/aws/write/batch-write-store.ts';
import { CapacityGates } from '../../../engine/run/capacity/capacity-gate.ts';
import { writeAll } from '../../../engine/run/write/write-all.ts';

const table = { name: 'orders', key: { hash: { name: 'id', type: 'S' } }, indexes: [] } as const;
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

interface Batch {
  readonly RequestItems: {
    readonly orders: readonly { readonly PutRequest: { readonly Item: { readonly id: { S: string } } } }[];
  };
}

type Handler = (request: IncomingMessage, body: string, response: ServerResponse) => void | Promise<void>;

const answer = (response: ServerResponse, status: number, json: object): void =>
  void response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(json));

describe('a client with threads that send', function () {
  this.timeout(60_000);
  let handle: Handler = () => undefined;
  const server = createServer(async (request, response) => handle(request, await text(request), response));
  const clients: DynamoDBClient[] = [];
  let endpoint = '';
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy();
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const open = (more: Partial<ClientOptions> = {}): DynamoDBClient => {
    const client = dynamoClient({ region: 'eu-west-1', endpoint, maxAttempts: 1, credentials, threads: 3, ...more });
    clients.push(client);
    return client;
  };
  const ask = (client: DynamoDBClient, signal?: AbortSignal) =>
    wireOf(client).call('Scan', { TableName: 'orders', Limit: 1 }, signal);
  const failure = (work: Promise<unknown>): Promise<Error & { readonly code?: string }> =>
    work.then(
      () => new Error('it did not fail'),
      (error: Error) => error,
    );

  it('writes every item once, over connections of several threads, signed as the SDK signs', async () => {
    const seen: string[] = [];
    const ports = new Set<number>();
    const wrong: string[] = [];
    const client = open();
    const signer = new SignatureV4({ credentials, region: 'eu-west-1', service: 'dynamodb', sha256: client.config.sha256 });
    handle = async (request, body, response) => {
      ports.add(request.socket.remotePort ?? 0);
      const { RequestItems } = JSON.parse(body) as Batch;
      seen.push(...RequestItems.orders.map(({ PutRequest }) => PutRequest.Item.id.S));
      const { authorization, connection: _, ...headers } = request.headers as Record<string, string>;
      const date = new Date(String(headers['x-amz-date']).replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:'));
      const bare = { method: 'POST', protocol: 'http:', hostname: '127.0.0.1', path: '/', query: {}, headers, body };
      const signed = await signer.sign(bare, { signingDate: date });
      if (signed.headers.authorization !== authorization) wrong.push(authorization ?? 'none');
      setTimeout(() => answer(response, 200, { UnprocessedItems: {} }), 2);
    };
    const ids = Array.from({ length: 2_000 }, (_, n) => `é"${n}`);
    const requests = ids.map((id) => ({ table: 'orders', put: { id: { S: id } } }));
    const result = await writeAll(requests, {
      store: batchWriteStore(client),
      tables: [table],
      gates: new CapacityGates({ unlimited: true }),
      deadLetters: { write: () => Promise.reject(new Error('a dead letter')) },
      concurrency: 12,
    });
    expect(result).to.include({ outcome: 'complete', written: ids.length });
    expect(seen.toSorted()).to.deep.equal(ids.toSorted());
    expect(wrong).to.deep.equal([]);
    expect(ports.size).to.be.at.least(3);
  });

  it('fails with the SDK’s own errors: refused, throttled, cut, nobody there', async () => {
    const __type = 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException';
    handle = (_, __, response) => answer(response, 400, { __type, message: 'gone' });
    expect(await failure(ask(open()))).to.include({ name: 'ResourceNotFoundException', message: 'gone' });
    handle = (_, __, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"Items"');
      setTimeout(() => response.destroy(), 20);
    };
    expect(await failure(ask(open()))).to.include({ code: 'ECONNRESET', cut: true, server: endpoint });
    const nobody = 'http://127.0.0.1:9';
    const refused = await failure(ask(open({ endpoint: nobody })));
    expect(refused).to.include({ code: 'ECONNREFUSED', server: nobody });
  });

  it('tells what a server sent that speaks no HTTP, as the client without threads does', async () => {
    const greeter = createSocketServer((socket) => socket.end('220 mail.example ESMTP\r\n'));
    await new Promise<void>((resolve) => greeter.listen(0, '127.0.0.1', resolve));
    const there = `http://127.0.0.1:${(greeter.address() as AddressInfo).port}`;
    const found = await Promise.all([3, 1].map((threads) => failure(ask(open({ endpoint: there, threads })))));
    greeter.close();
    for (const error of found) expect(error).to.include({ code: 'HPE_INVALID_CONSTANT', sent: '220 mail.example ESMTP' });
  });

  it('ends a request by its signal, and all of them when the command’s patience is over', async () => {
    handle = () => undefined;
    const one = new AbortController();
    const single = failure(ask(open(), one.signal));
    setTimeout(() => one.abort(), 50);
    expect((await single).name).to.equal('AbortError');
    const stop = new AbortController();
    const client = open({ patience: new Patience(stop.signal) });
    const both = [failure(ask(client)), failure(ask(client))];
    setTimeout(() => stop.abort(), 50);
    expect(lastWaitMs).to.be.lessThan(5_000);
    expect((await Promise.all(both)).map(({ name }) => name)).to.deep.equal(['AbortError', 'AbortError']);
  });

  it('fails what a thread had when the thread is gone, rather than wait for it', async () => {
    handle = () => undefined;
    const client = open();
    const lost = failure(ask(client));
    setTimeout(() => client.destroy(), 200);
    expect((await lost).message).to.equal('a thread that sends requests has ended');
    // Whoever asks again is answered: a thread that is gone gets nothing more to do.
    handle = (_, __, response) => answer(response, 200, { Items: [], Count: 0 });
    for (let turn = 0; turn < 4; turn += 1) expect(await ask(client)).to.deep.equal({ Items: [], Count: 0 });
  });
});
