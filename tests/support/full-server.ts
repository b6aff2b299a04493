import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A server that lets nobody connect: it is stopped, and those who wait to be let in are as many as the kernel keeps. */
export interface FullServer {
  readonly endpoint: string;
  close(): void;
}

const script = `
const server = require('node:net').createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  process.stdout.write(String(server.address().port), () => process.kill(process.pid, 'SIGSTOP'));
});
`;

export async function openFullServer(): Promise<FullServer> {
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const waiting: Socket[] = [];
  // A few more than fit, so that the next one is sure to wait for an answer.
  for (let at = 0; at < 6; at += 1) {
    const socket = connect({ host: '127.0.0.1', port: Number(port.toString()) });
    socket.on('error', () => undefined);
    waiting.push(socket);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    endpoint: `http://127.0.0.1:${port.toString()}`,
    close: () => {
      for (const socket of waiting) socket.destroy();
      child.kill('SIGKILL');
    },
  };
}
