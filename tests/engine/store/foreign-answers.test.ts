import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { dynamoClient, localCredentials } from '../../../engine/aws/clients.ts';
import { classifyError, storeError } from '../../../engine/aws/store/store-error.ts';
import type { TablewrightError } from '../../../tables/model/error.ts';

const json = { 'content-type': 'application/x-amz-json-1.0' };

/** The error of a request to a server, as it is told. */
async function errorFrom(server: Server, protocol = 'http', maxAttempts = 1): Promise<{ error: unknown; endpoint: string }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = dynamoClient({ region: 'us-east-1', endpoint, maxAttempts, credentials: localCredentials });
  try {
    await client.send(new ListTablesCommand({}));
  } catch (error) {
    return { error, endpoint };
  } finally {
    client.destroy();
    server.close();
  }
  throw new Error('it should have failed');
}

async function told(answer: RequestListener): Promise<readonly [string, string]> {
  const { error, endpoint } = await errorFrom(createServer(answer));
  const { code, message } = storeError(undefined, error) as TablewrightError;
  return [code, message.replace(endpoint, 'URL')];
}

const expected = 'URL did not answer like DynamoDB: expected JSON over HTTP, found';

describe('an address where something else answers', () => {
  it('is named with what it sent: a page, a redirect, a refusal, a greeting, nothing', async () => {
    expect(await told((_, to) => to.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>\n<p>'))).to.deep.equal([
      'NOT_DYNAMODB',
      `${expected} HTTP 200, text/html: <!doctype html>`,
    ]);
    expect(await told((_, to) => to.writeHead(301, { location: 'https://elsewhere.example/' }).end())).to.deep.equal([
      'NOT_DYNAMODB',
      `${expected} HTTP 301 to https://elsewhere.example/`,
    ]);
    expect(await told((_, to) => to.writeHead(404, { 'content-type': 'text/plain' }).end('not here'))).to.deep.equal([
      'NOT_DYNAMODB',
      `${expected} HTTP 404, text/plain: not here`,
    ]);
    expect(await told((_, to) => to.writeHead(400, json).end('{"error":"nope"}'))).to.deep.equal([
      'NOT_DYNAMODB',
      `${expected} HTTP 400, application/x-amz-json-1.0: {"error":"nope"}`,
    ]);
    expect(await told((_, to) => to.writeHead(200).end('OK'))).to.deep.equal(['NOT_DYNAMODB', `${expected} HTTP 200: OK`]);
    expect(await told((_, to) => to.writeHead(200).end())).to.deep.equal(['NOT_DYNAMODB', `${expected} HTTP 200: nothing`]);
    expect(await told((_, to) => to.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(500)))).to.deep.equal([
      'NOT_DYNAMODB',
      `${expected} HTTP 200, text/plain: ${'x'.repeat(100)}…`,
    ]);
    const { error, endpoint } = await errorFrom(createSocketServer((socket) => socket.end('220 mail.example ESMTP\r\n')));
    expect((storeError(undefined, error) as TablewrightError).message).to.equal(
      `${endpoint} did not answer like DynamoDB: expected JSON over HTTP, found 220 mail.example ESMTP`,
    );
  });

  it('is named where TLS was expected', async () => {
    const { error, endpoint } = await errorFrom(
      createServer((_, to) => to.end()),
      'https',
    );
    const { code, message } = storeError(undefined, error) as TablewrightError;
    expect([code, message]).to.deep.equal([
      'NOT_DYNAMODB',
      `${endpoint} did not answer like DynamoDB: expected JSON over HTTPS, found no TLS (EPROTO)`,
    ]);
  });

  it('may be better the next time where it failed, or broke off; what it had sent of an item is not shown', async () => {
    const failed = await errorFrom(createServer((_, to) => to.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502')));
    expect(classifyError(failed.error, 't')).to.include({ kind: 'failed', cause: 'server-error' });
    expect(await told((_, to) => to.writeHead(500).end('boom'))).to.deep.equal(['STORE_FAILED', `${expected} HTTP 500: boom`]);
    expect(await told((_, to) => to.writeHead(200, json).end('{"Items":[{"secret":'))).to.deep.equal([
      'ANSWER_CUT',
      `${expected} HTTP 200, application/x-amz-json-1.0: JSON that breaks off after 20 bytes`,
    ]);
  });

  it('is none where a call is not offered: the call is named, and the release that has it', async () => {
    const unknown: RequestListener = (_, to) =>
      to.writeHead(400, json).end('{"__type":"com.amazon.coral.service#UnknownOperationException"}');
    expect(await told(unknown)).to.deep.equal(['NOT_OFFERED', 'the server URL does not offer ListTables']);
  });
});

describe('a clock that is wrong', () => {
  const skewed =
    (headers: Record<string, string>): RequestListener =>
    (_, to) =>
      to
        .writeHead(400, { ...json, ...headers })
        .end('{"__type":"com.amazon.coral.service#InvalidSignatureException","message":"Signature expired"}');
  const twentyMinutesAhead = () => new Date(Date.now() + 20 * 60_000).toUTCString();

  it('is set by the first answer: a client that repeats nothing is told to go again, and then passes', async () => {
    let asked = 0;
    const server = createServer((request, to) => {
      asked += 1;
      const stamp = String(request.headers['x-amz-date']).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:');
      const isLate = Date.parse(stamp) < Date.now() + 10 * 60_000;
      if (isLate) skewed({ date: twentyMinutesAhead() })(request, to);
      else to.writeHead(200, { ...json, date: twentyMinutesAhead() }).end('{"TableNames":[]}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = dynamoClient({ region: 'us-east-1', endpoint, maxAttempts: 1, credentials: localCredentials });
    const first = await client.send(new ListTablesCommand({})).catch((error: unknown) => error);
    expect(classifyError(first, 't')).to.include({
      kind: 'failed',
      cause: 'server-error',
      message: "this machine's clock is 20 min behind the server's, so the server does not take its signatures",
    });
    expect((await client.send(new ListTablesCommand({}))).TableNames).to.deep.equal([]);
    expect(asked).to.equal(2);
    client.destroy();
    server.close();
  });

  it('is named where setting it does not help', async () => {
    const { error } = await errorFrom(
      createServer((request, to) => skewed({ date: twentyMinutesAhead() })(request, to)),
      'http',
      3,
    );
    const { code, message, next } = storeError('t', error) as TablewrightError;
    expect(code).to.equal('CLOCK_SKEW');
    expect(message).to.equal(
      "t: this machine's clock is 20 min behind the server's, so the server does not take its signatures, after 3 tries",
    );
    expect(next).to.match(/^Set the clock of this machine/);
  });

  it('is not blamed where the clocks agree', async () => {
    const { error } = await errorFrom(createServer(skewed({})));
    expect((storeError('t', error) as TablewrightError).code).to.equal('NO_CREDENTIALS');
  });
});
