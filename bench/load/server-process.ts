import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openFaultProxy } from '../../tests/support/fault-proxy.ts';

/** A server of the bench in a process of its own: the fault proxy before an engine, or one that answers at once. */
export type ServerOrder =
  | { readonly kind: 'proxy'; readonly target: string; readonly unprocessed: number }
  | { readonly kind: 'stub' };

const answer = Buffer.from('{"UnprocessedItems":{}}');

async function openStub(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', 'content-length': answer.length });
      response.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

process.once('message', async (order: ServerOrder) => {
  const endpoint =
    order.kind === 'stub' ? await openStub() : (await openFaultProxy(order.target, { unprocessed: order.unprocessed })).endpoint;
  process.send?.(endpoint);
});
process.once('disconnect', () => process.exit(0));
