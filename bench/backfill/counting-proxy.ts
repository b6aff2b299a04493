import { createServer, request as forward, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signatureOf } from '../../tests/support/fault-proxy.ts';

export interface Counted {
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

export interface CountingProxy {
  readonly endpoint: string;
  counted(): Counted;
  close(): void;
}

const readOperations = new Set(['Scan', 'Query', 'GetItem', 'BatchGetItem']);

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Stands before the engine, asks with every request for what it consumed, and adds it up. Not for timing. */
export async function openCountingProxy(target: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(target);
  let requests = 0;
  let readUnits = 0;
  let writeUnits = 0;
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target'] ?? '').replace(/^.*\./, '');
    const given = JSON.parse((await bodyOf(request)).toString()) as Record<string, unknown>;
    const measured = !/Table|Describe|List|TimeToLive|Backups/.test(operation);
    const body = Buffer.from(JSON.stringify(measured ? { ...given, ReturnConsumedCapacity: 'TOTAL' } : given));
    const headers = { ...request.headers, host: `${hostname}:${port}`, 'content-length': String(body.length) };
    const sent = forward({ hostname, port, path: '/', method: 'POST', headers }, async (answer) => {
      const text = await bodyOf(answer);
      requests += 1;
      const consumed = (JSON.parse(text.toString() || '{}') as { ConsumedCapacity?: unknown }).ConsumedCapacity ?? [];
      const list = (Array.isArray(consumed) ? consumed : [consumed]) as { readonly CapacityUnits?: number }[];
      const units = list.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
      if (readOperations.has(operation)) readUnits += units;
      else writeUnits += units;
      response.writeHead(answer.statusCode ?? 500, {
        ...signatureOf(answer),
        'content-type': 'application/x-amz-json-1.0',
        'content-length': text.length,
      });
      response.end(text);
    });
    sent.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counted: () => ({ requests, readUnits, writeUnits }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
