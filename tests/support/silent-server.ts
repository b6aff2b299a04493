import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server that accepts every connection and never says a word. */
export interface SilentServer {
  readonly endpoint: string;
  /** Connections that were ever made. */
  connections(): number;
  /** Resolves when somebody has sent something. */
  asked(): Promise<void>;
  close(): void;
}

export async function openSilentServer(): Promise<SilentServer> {
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', () => {
      for (const wake of waiting.splice(0)) wake();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    asked: () => new Promise((resolve) => void waiting.push(resolve)),
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
