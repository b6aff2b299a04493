import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Does a server on this machine take connections? */
export function listens(endpoint: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(endpoint).port) }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** Waits a few seconds for it to stop. */
export async function untilSilent(endpoint: string): Promise<boolean> {
  for (let tries = 0; tries < 300 && (await listens(endpoint)); tries += 1) await sleep(10);
  return !(await listens(endpoint));
}
