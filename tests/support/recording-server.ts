import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Recorded {
  readonly operation: string;
  /** As it came over the wire. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface RecordingServer {
  readonly endpoint: string;
  readonly requests: Recorded[];
  close(): Promise<void>;
}

/** A DynamoDB endpoint that keeps what it is sent. Without an answer of its own, a request finds no such table. */
export async function openRecordingServer(
  answer: (request: Recorded) => Readonly<Record<string, unknown>> | undefined,
): Promise<RecordingServer> {
  const requests: Recorded[] = [];
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target'] ?? '').replace(/^.*\./, '');
    const recorded = { operation, body: JSON.parse(await text(request)) as Recorded['body'] };
    requests.push(recorded);
    const found = answer(recorded);
    response.writeHead(found === undefined ? 400 : 200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(found ?? { __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
