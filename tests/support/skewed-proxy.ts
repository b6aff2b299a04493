import { createServer, request as forwardRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SkewedProxy {
  readonly endpoint: string;
  /** Requests that were refused for their time. */
  readonly refused: () => number;
  readonly passed: () => number;
  close(): Promise<void>;
}

/** AWS takes signatures that are at most this old. */
const maxSkewMs = 5 * 60_000;

/** A loopback server before a DynamoDB endpoint whose clock is so many minutes ahead, and which refuses as AWS does. */
export async function openSkewedProxy(target: string, aheadMinutes: number): Promise<SkewedProxy> {
  const counts = { refused: 0, passed: 0 };
  const server = createServer((request, response) => {
    const nowMs = Date.now() + aheadMinutes * 60_000;
    const date = new Date(nowMs).toUTCString();
    if (Math.abs(signedAt(request) - nowMs) > maxSkewMs) {
      counts.refused += 1;
      request.resume();
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0', date }).end(expired);
      return;
    }
    counts.passed += 1;
    forward(target, request, response, date);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused: () => counts.refused,
    passed: () => counts.passed,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const expired = JSON.stringify({
  __type: 'com.amazon.coral.service#InvalidSignatureException',
  message: 'Signature expired: it is now earlier than the server takes',
});

/** `20261114T100000Z` */
function signedAt({ headers }: IncomingMessage): number {
  const stamp = String(headers['x-amz-date']);
  return Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}

function forward(target: string, request: IncomingMessage, response: ServerResponse, date: string): void {
  const { hostname, port } = new URL(target);
  const { method, url: path, headers } = request;
  const sent = forwardRequest({ hostname, port, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, { ...answer.headers, date });
    answer.pipe(response);
  });
  sent.on('error', () => request.socket.destroy());
  request.pipe(sent);
}
