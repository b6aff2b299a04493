import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Measured, Order } from './contender-process.ts';
import type { ServerOrder } from './server-process.ts';

function start(module: string): ChildProcess {
  return fork(fileURLToPath(new URL(module, import.meta.url)), { execArgv: ['--import', 'tsx'] });
}

function firstMessage<T>(child: ChildProcess, order: object): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as T));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`a process of the bench ended with code ${code}`)));
    child.send(order);
  });
}

/** Loads by one contender in a new process. */
export function runContender(order: Order): Promise<Measured> {
  return firstMessage<Measured>(start('./contender-process.ts'), order);
}

export interface Server {
  readonly endpoint: string;
  close(): void;
}

export async function openServer(order: ServerOrder): Promise<Server> {
  const child = start('./server-process.ts');
  const endpoint = await firstMessage<string>(child, order);
  return { endpoint, close: () => child.disconnect() };
}
