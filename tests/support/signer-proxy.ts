import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands before an engine and notes by whose access key each request was signed. */
export interface SignerProxy {
  readonly endpoint: string;
  readonly signers: ReadonlySet<string>;
  close(): Promise<void>;
}

export async function openSignerProxy(target: string): Promise<SignerProxy> {
  const { hostname, port } = new URL(target);
  const signers = new Set<string>();
  const server = createServer((request, response) => {
    signers.add(/Credential=([^/]+)/.exec(request.headers.authorization ?? '')?.[1] ?? 'nobody');
    const sent = forward({ hostname, port, path: request.url, method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => request.socket.destroy());
    request.pipe(sent);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    signers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
