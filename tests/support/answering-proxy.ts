import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type Answer = (operation: string, body: Readonly<Record<string, unknown>>) => object | undefined;

/** What becomes of an answer of the engine. */
export type Amend = (operation: string, found: Readonly<Record<string, unknown>>) => object;

export interface AnsweringProxy {
  readonly endpoint: string;
  close(): Promise<void>;
}

/**
 * A server before an engine that answers some calls by itself, or adds to what the engine answers: what an engine on this machine does
 * not have and AWS has.
 */
export async function openAnsweringProxy(
  engine: string,
  answer: Answer,
  amend: Amend = (_, found) => found,
): Promise<AnsweringProxy> {
  const server = createServer(async (request, response) => {
    const sent = await buffer(request);
    const operation = String(request.headers['x-amz-target'] ?? '').replace(/^.*\./, '');
    const own = answer(operation, JSON.parse(sent.toString() || '{}') as Readonly<Record<string, unknown>>);
    if (own !== undefined) {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(own));
      return;
    }
    const headers = Object.fromEntries(
      ['x-amz-target', 'x-amz-date', 'content-type', 'authorization'].map((name) => [name, String(request.headers[name] ?? '')]),
    );
    const passed = await fetch(engine, { method: 'POST', headers, body: sent });
    const text = await passed.text();
    const found = passed.ok ? JSON.stringify(amend(operation, JSON.parse(text) as Readonly<Record<string, unknown>>)) : text;
    response.writeHead(passed.status, { 'content-type': passed.headers.get('content-type') ?? '' }).end(found);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
