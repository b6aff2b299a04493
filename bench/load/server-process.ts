import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openFaultProxy } from '../../tests/support/fault-proxy.ts';
import { openPages } from './page-server.ts';

/**
 * A server of the bench in a process of its own: the fault proxy before an engine, one that answers at once, or one that holds
 * so many orders for a scan and takes every write.
 */
export type ServerOrder =
  | { readonly kind: 'proxy'; readonly target: string; readonly unprocessed: number }
  | { readonly kind: 'stub' }
  | { readonly kind: 'pages'; readonly items: number };

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

function endpointOf(order: ServerOrder): Promise<string> {
  if (order.kind === 'stub') return openStub();
  if (order.kind === 'pages') return openPages(order.items);
  return openFaultProxy(order.target, { unprocessed: order.unprocessed }).then((proxy) => proxy.endpoint);
}

process.once('message', async (order: ServerOrder) => {
  process.send?.(await endpointOf(order));
});
process.once('disconnect', () => process.exit(0));
