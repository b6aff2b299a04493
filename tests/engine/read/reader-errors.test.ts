import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { type OpenReader, openReader, openWriter } from '../../../engine/application.ts';
import { sleep } from '../../../engine/cli/read-environment.ts';
import { omsTradingData } from '../../../tables/catalogue.ts';
import * as entities from '../../../tables/entities.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import * as operations from '../../../tables/operations.ts';
import project from '../../../tablewright.config.ts';
import { failureOf } from '../../support/failure-of.ts';
import { useEngine } from '../../support/test-engine.ts';

const json = { 'content-type': 'application/x-amz-json-1.0' };

/** A reader whose server answers so, and what a call of it ends with: its code and its next step. */
async function failureWith(
  answer: RequestListener,
  call: (reader: OpenReader<typeof project>) => Promise<unknown>,
): Promise<readonly [string, string | undefined]> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const reader = openReader(project, { stack: 'test', region: 'us-east-1', endpoint, follow: 'query' });
  try {
    const { code, next } = await failureOf(call(reader));
    return [code, next];
  } finally {
    await reader.close();
    server.closeAllConnections();
    server.close();
  }
}

const orders = (reader: OpenReader<typeof project>) => reader.read('oms.trading.ordersOfClient', { clientId: 'c' }).all();
const order = {
  order_id: 'o',
  client_id: 'c',
  product_id: 'p',
  symbol: 'BTCUSDT',
  side: 'BUY',
  quantity: '1',
  price: '1',
  status: 'NEW',
  order_type: 'LIMIT',
  created_at: '14/11/2025 12:00:00',
  updated_at: '14/11/2025 12:00:00',
} as const;
const create = (reader: OpenReader<typeof project>) => reader.run(operations.createOrder, order);

/** Queries find nothing, what is referred to is there; writes are answered so. */
const writesMeet =
  (answer: RequestListener): RequestListener =>
  async (request, response) => {
    await text(request);
    const target = String(request.headers['x-amz-target']);
    if (target.endsWith('TransactWriteItems')) answer(request, response);
    else if (target.endsWith('GetItem')) response.writeHead(200, json).end('{"Item":{"PK":{"S":"there"}}}');
    else response.writeHead(200, json).end('{"Items":[],"Count":0,"ScannedCount":0}');
  };

describe('what a program is told when the store fails', () => {
  const engine = useEngine([omsTradingData, ledger]);

  it('the table is throttled', async () => {
    const throttled: RequestListener = (_, to) =>
      to.writeHead(400, json).end('{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"}');
    const [code, next] = await failureWith(throttled, orders);
    expect([code, next]).to.deep.equal([
      'THROTTLED',
      'Ask again later, or less at once; raise the capacity of the table if it happens often.',
    ]);
    expect((await failureWith(writesMeet(throttled), create))[0]).to.equal('THROTTLED');
  }).timeout(30_000);

  it('the answer broke off, in its JSON or in its bytes', async () => {
    const half = '{"Items":[{"PK":';
    const cut = ['ANSWER_CUT', 'Ask again: a read changes nothing.'];
    expect(await failureWith((_, to) => to.writeHead(200, json).end(half), orders)).to.deep.equal(cut);
    const dropped: RequestListener = (request, to) => {
      to.writeHead(200, { ...json, 'content-length': 1_000 });
      to.write(half, () => request.socket.destroy());
    };
    expect(await failureWith(dropped, orders)).to.deep.equal(cut);
  }).timeout(30_000);

  it('a write whose answer was lost may have happened; one that met nobody, or a refusal, has not', async () => {
    const unknown = [
      'OUTCOME_UNKNOWN',
      'Read the records to see. Doing it again is safe: its conditions refuse what has happened already.',
    ];
    const silent = writesMeet((request) => request.socket.destroy());
    expect(await failureWith(silent, create)).to.deep.equal(unknown);
    const broken = writesMeet((_, to) =>
      to.writeHead(500, json).end('{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError"}'),
    );
    expect(await failureWith(broken, create)).to.deep.equal(unknown);
    const denied = writesMeet((_, to) =>
      to.writeHead(400, json).end('{"__type":"com.amazon.coral.service#AccessDeniedException"}'),
    );
    expect((await failureWith(denied, create))[0]).to.equal('STORE_FAILED');
    const reader = openReader(project, { stack: 'test', region: 'us-east-1', endpoint: 'http://127.0.0.1:9', follow: 'query' });
    expect((await failureOf(create(reader))).code).to.equal('STORE_FAILED');
    await reader.close();
  }).timeout(60_000);

  it('so it is of the writer, whose token then makes it safe to send it again; stopped while it waits it may have happened, too', async () => {
    const server: Server = createServer(writesMeet((request) => request.socket.destroy()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const place = { stack: 'test', region: 'us-east-1', endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    const writer = openWriter(project, place);
    const lost = await failureOf(writer.put(entities.product, { product_id: 'p', name: 'P', status: 'ACTIVE' }, { token: 't' }));
    expect([lost.code, lost.next]).to.deep.equal([
      'OUTCOME_UNKNOWN',
      'Send it again with the same token within ten minutes: it then happens once.',
    ]);
    await writer.close();
    server.close();

    const stop = new AbortController();
    const silent: Server = createServer(writesMeet(() => stop.abort()));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const waiting = openWriter(project, { ...place, endpoint });
    const put = waiting.put(entities.product, { product_id: 'p', name: 'P', status: 'ACTIVE' }, { signal: stop.signal });
    expect((await failureOf(put)).code).to.equal('OUTCOME_UNKNOWN');
    await waiting.close();
    silent.closeAllConnections();
    silent.close();
  }).timeout(60_000);

  it('the index is gone, or the whole table', async () => {
    const { client, endpoint } = engine();
    const name = physicalName(omsTradingData, engine().config);
    await client.send(
      new UpdateTableCommand({ TableName: name, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'GSI1' } }] }),
    );
    while (JSON.stringify((await engine().environment.store.describeTable(name))?.indexes).includes('GSI1')) await sleep(20);
    const reader = openReader(project, { stack: 'test', region: 'us-east-1', endpoint, follow: 'query' });
    const gone = await failureOf(reader.read('oms.trading.ordersByProduct', { productId: 'p' }).all());
    expect([gone.code, gone.message, gone.next]).to.deep.equal([
      'INDEX_MISSING',
      `${name}: the index GSI1 does not exist`,
      "Deploy the index first; 'tablewright doctor' shows what the stack has.",
    ]);
    const table = await failureOf(reader.read('markets.orders.byOwner', { owner: 'o' }).all());
    expect(table.code).to.equal('TABLE_MISSING');
    await reader.close();
  });

  it('never tells it to run a command again', async () => {
    const answers: readonly RequestListener[] = [
      (_, to) => to.writeHead(500, json).end('{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError"}'),
      (_, to) => to.writeHead(400, json).end('{"__type":"com.amazon.coral.service#ValidationException"}'),
      (_, to) => to.writeHead(400, json).end('{"__type":"com.amazon.coral.service#UnrecognizedClientException"}'),
      (_, to) => to.writeHead(400, json).end('{"__type":"com.amazon.coral.service#ResourceNotFoundException"}'),
      (_, to) => to.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      (request) => request.socket.destroy(),
    ];
    for (const answer of answers) expect((await failureWith(answer, orders))[1]).not.to.match(/command|--endpoint/);
  }).timeout(60_000);
});
