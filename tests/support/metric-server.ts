import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MetricServer {
  readonly endpoint: string;
  /** The bodies of the requests that came. */
  readonly metrics: readonly string[];
  close(): void;
}

/** Takes metrics as CloudWatch does, whatever the protocol of the SDK. */
export async function openMetricServer(): Promise<MetricServer> {
  const metrics: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      metrics.push(Buffer.concat(chunks).toString('latin1'));
      const protocol = request.headers['smithy-protocol'];
      if (protocol === 'rpc-v2-cbor') {
        response.setHeader('smithy-protocol', protocol);
        response.setHeader('content-type', 'application/cbor');
        response.end(Buffer.from([0xa0]));
        return;
      }
      response.setHeader('content-type', request.headers['content-type'] ?? 'application/json');
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, metrics, close: () => server.close() };
}
