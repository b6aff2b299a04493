import type { ChildProcess } from 'node:child_process';
import { forkCompiled } from '../fork-compiled.ts';
import type { Job } from './contender.ts';
import type { Measured } from './contender-process.ts';
import { askForTime, type ServerOrder } from './server-order.ts';

/** Sends an order and waits for the answer to it. */
function ask<T>(child: ChildProcess, order: object | string): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => reject(new Error(`a process of the bench ended with code ${code}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as T);
    });
    child.send(order);
  });
}

export interface ContenderProcess {
  readonly name: string;
  load(job: Job): Promise<Measured>;
  close(): void;
}

/** One contender in a new process, which stays for all of its loads. */
export function openContender(name: string): ContenderProcess {
  const child = forkCompiled('load/contender-process.ts', [`./${name}.js`]);
  return { name, load: (job) => ask<Measured>(child, job), close: () => child.connected && child.disconnect() };
}

export interface Server {
  readonly endpoint: string;
  /** Its processor time so far, in microseconds. */
  cpuMicros(): Promise<number>;
  close(): void;
}

export async function openServer(order: ServerOrder): Promise<Server> {
  const child = forkCompiled('load/server-process.ts');
  const endpoint = await ask<string>(child, order);
  return { endpoint, cpuMicros: () => ask<number>(child, askForTime), close: () => child.disconnect() };
}
