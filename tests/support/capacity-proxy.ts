import { Agent, createServer, request as forward, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Effect } from './busiest-second.ts';
import { signatureOf } from './fault-proxy.ts';

/** Units that a request consumed of a table, indexes included. */
export interface Consumption extends Effect {
  readonly table: string;
  readonly kind: 'read' | 'write';
  readonly operation: string;
  /** The AWS SDK sent it: it marks its requests. */
  readonly bySdk: boolean;
}

/** Stands before the engine and notes what every request consumes, and when, as the engine says. */
export interface CapacityProxy {
  readonly endpoint: string;
  /** What was consumed since this was asked for last. */
  take(): readonly Consumption[];
  close(): Promise<void>;
}

const reads: ReadonlySet<string> = new Set(['Scan', 'Query', 'GetItem', 'BatchGetItem', 'TransactGetItems']);
const writes: ReadonlySet<string> = new Set([
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
  'TransactWriteItems',
  'BatchExecuteStatement',
  'ExecuteStatement',
]);

interface Consumed {
  readonly TableName?: string;
  readonly CapacityUnits?: number;
}

/** `onConsumed` is told of what a request consumed before its answer is passed on. */
export async function openCapacityProxy(target: string, onConsumed?: (consumed: Consumption) => void): Promise<CapacityProxy> {
  const { hostname, port } = new URL(target);
  const agent = new Agent({ keepAlive: true });
  let noted: Consumption[] = [];
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target'] ?? '').replace(/^.*\./, '');
    const given = await bodyOf(request);
    const counts = reads.has(operation) || writes.has(operation);
    const body = counts ? withCapacity(given) : given;
    const headers = { ...request.headers, host: `${hostname}:${port}`, 'content-length': String(body.length) };
    const sent = forward({ agent, hostname, port, path: '/', method: 'POST', headers }, async (answer) => {
      const text = await bodyOf(answer);
      // Before it is passed on: what the command does next, it does after this moment.
      const bySdk = request.headers['amz-sdk-request'] !== undefined;
      for (const consumed of counts ? consumptions(operation, bySdk, text) : []) {
        noted.push(consumed);
        onConsumed?.(consumed);
      }
      response.writeHead(answer.statusCode ?? 500, {
        ...signatureOf(answer),
        'content-type': 'application/x-amz-json-1.0',
        'content-length': text.length,
      });
      response.end(text);
    });
    sent.on('error', () => request.socket.destroy());
    sent.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => {
      const taken = noted;
      noted = [];
      return taken;
    },
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function withCapacity(body: Buffer): Buffer {
  return Buffer.from(JSON.stringify({ ...(JSON.parse(body.toString()) as object), ReturnConsumedCapacity: 'TOTAL' }));
}

function consumptions(operation: string, bySdk: boolean, text: Buffer): readonly Consumption[] {
  const { ConsumedCapacity = [] } = JSON.parse(text.toString() || '{}') as {
    readonly ConsumedCapacity?: Consumed | readonly Consumed[];
  };
  const kind = reads.has(operation) ? 'read' : 'write';
  return ([ConsumedCapacity].flat() as readonly Consumed[]).map(({ TableName: table = '', CapacityUnits: units = 0 }) => ({
    ...{ table, kind, operation, bySdk, units },
    atMs: performance.now(),
  }));
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
