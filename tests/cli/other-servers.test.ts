import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { repository } from '../support/run-cli.ts';
import { runMain } from '../support/run-main.ts';
import { makeFolder, removeFolder } from '../support/seed-bench.ts';

const json = { 'content-type': 'application/json' };

/** Servers that are not DynamoDB, and what is said to have been found. */
const others: readonly (readonly [name: string, server: () => Server, found: string])[] = [
  [
    'a web page',
    http((_, to) => to.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>\n<p>')),
    'HTTP 200, text/html: <!doctype html>',
  ],
  [
    'a redirect',
    http((_, to) => to.writeHead(302, { location: 'https://login.example/' }).end()),
    'HTTP 302 to https://login.example/',
  ],
  [
    'a proxy',
    http((_, to) => to.writeHead(403, { 'content-type': 'text/plain' }).end('go away')),
    'HTTP 403, text/plain: go away',
  ],
  ['nothing to say', http((_, to) => to.writeHead(204).end()), 'HTTP 204: nothing'],
  [
    'a greeting',
    () => createSocketServer((socket) => void socket.on('error', () => undefined).end('SSH-2.0-OpenSSH_9\r\n')),
    'SSH-2.0-OpenSSH_9',
  ],
  [
    'some other JSON',
    http((_, to) => to.writeHead(200, json).end('{"status":"UP"}')),
    'HTTP 200: JSON without (Count|Table|Responses)',
  ],
  ['a list', http((_, to) => to.writeHead(200, json).end('[]')), 'HTTP 200: JSON without (Count|Table|Responses)'],
  ['null', http((_, to) => to.writeHead(200, json).end('null')), 'HTTP 200: JSON without (Count|Table|Responses)'],
];

function http(answer: RequestListener): () => Server {
  return () =>
    createServer((request, response) => {
      request.resume().on('end', () => answer(request, response));
    });
}

const calls: readonly (readonly string[])[] = [
  ['doctor'],
  ['up'],
  ['query', 'oms.config.allProducts'],
  ['seed', 'oms'],
  ['status'],
  ['migrate'],
  ['verify'],
  ['cutover', 'check', '--all'],
];

describe('an address that is not DynamoDB’s', function () {
  this.timeout(60_000);

  for (const [name, server, found] of others) {
    it(`${name}: every command says what it sent, and none takes it for an answer`, async () => {
      const listening = server().listen(0, '127.0.0.1');
      await new Promise((resolve) => listening.on('listening', resolve));
      const { port } = listening.address() as AddressInfo;
      const expected = new RegExp(
        `^NOT_DYNAMODB: (\\S+: )?http://127\\.0\\.0\\.1:${port} did not answer like DynamoDB: expected JSON over HTTP, found ${found}\\n→ Check the address`,
        'm',
      );
      try {
        for (const call of calls) {
          const { code, stdout, stderr } = await runMain(repository, [...call, '--endpoint', `http://127.0.0.1:${port}`]);
          expect({ code, stdout }, call.join(' ')).to.deep.equal({ code: 2, stdout: '' });
          expect(stderr, call.join(' ')).to.match(expected);
        }
      } finally {
        listening.close();
      }
    });
  }

  it('is not exported from, either', async () => {
    const folder = await makeFolder({});
    const listening = http((_, to) => to.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>'))().listen(
      0,
      '127.0.0.1',
    );
    await new Promise((resolve) => listening.on('listening', resolve));
    const { port } = listening.address() as AddressInfo;
    const args = ['export', 'oms_config', '--to', join(folder, 'out'), '--endpoint', `http://127.0.0.1:${port}`];
    const { code, stderr } = await runMain(repository, args);
    listening.close();
    await removeFolder(folder);
    expect(code).to.equal(2);
    expect(stderr).to.match(/NOT_DYNAMODB: .* found HTTP 200, text\/html: <!doctype html>\n/);
  });
});
