import { Worker } from 'node:worker_threads';
import type { HandlerSettings } from '../noting-handler.ts';
import { type Answer, abortError } from './exchange.ts';
import type { RequestTemplate } from './request-template.ts';
import type { Sender } from './sender.ts';
import type { Reply, ThreadOrder, ThreadSettings } from './thread-messages.ts';

/** Compiled, as in the package, a thread needs no TypeScript. Asked for only where a thread begins: a bundle of an application in CommonJS has no address of its own. */
function threadModule(): URL {
  const own = import.meta.url;
  return new URL(own.endsWith('.ts') ? './thread-entry.js' : './sender-thread.js', own);
}

interface Thread {
  readonly worker: Worker;
  /** By the template: the number that the thread knows it by. */
  readonly templates: WeakMap<RequestTemplate, number>;
  /** Requests on their way. */
  busy: number;
}

interface Pending {
  readonly thread: Thread;
  readonly settle: (reply: Reply | Error) => void;
}

/**
 * Hashes, signs and sends requests in threads of their own, each with its share of the connections. What to send and when is
 * decided where it always is, in the thread of the writer: budget, order, retries and dead letters know nothing of this.
 */
export class SenderThreads implements Sender {
  readonly #settings: HandlerSettings;
  readonly #count: number;
  readonly #pending = new Map<number, Pending>();
  #threads: readonly Thread[] = [];
  #next = 0;
  #templates = 0;

  constructor(settings: HandlerSettings, count: number) {
    this.#settings = settings;
    this.#count = count;
    const over = settings.patience?.over;
    over?.addEventListener('abort', () => {
      for (const id of [...this.#pending.keys()]) this.#abort(id, over);
    });
  }

  send(template: RequestTemplate, body: Buffer, dateMs: number, signal: AbortSignal | undefined): Promise<Answer> {
    const over = this.#settings.patience?.over;
    const stopped = signal?.aborted ? signal : over?.aborted ? over : undefined;
    if (stopped !== undefined) return Promise.reject(abortError(stopped));
    while (this.#threads.length < this.#count) this.#threads = [...this.#threads, this.#open()];
    const thread = this.#threads.reduce((least, other) => (other.busy < least.busy ? other : least));
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve, reject) => {
      const answered = this.#settings.patience?.begin();
      const abort = (): void => this.#abort(id, signal);
      const settle = (reply: Reply | Error): void => {
        if (!this.#pending.delete(id)) return;
        thread.busy -= 1;
        answered?.();
        signal?.removeEventListener('abort', abort);
        if (reply instanceof Error) reject(reply);
        else if ('message' in reply) reject(Object.assign(new Error(reply.message), reply.members));
        else resolve({ status: reply.status, headers: reply.headers, body: Buffer.from(reply.body, 'latin1') });
      };
      this.#pending.set(id, { thread, settle });
      thread.busy += 1;
      signal?.addEventListener('abort', abort, { once: true });
      const order: ThreadOrder = { kind: 'send', id, template: this.#known(thread, template), body, dateMs };
      // Handed over, not copied.
      thread.worker.postMessage(order, [body.buffer as ArrayBuffer]);
    });
  }

  /** Ends the threads. What is on its way fails. */
  close(): void {
    const ending = this.#threads;
    this.#threads = [];
    for (const { worker } of ending) void worker.terminate();
  }

  #open(): Thread {
    const { httpAgent, connectionTimeoutMs, idleTimeoutMs } = this.#settings;
    const share = Math.max(1, Math.floor(httpAgent.maxSockets / this.#count));
    const workerData: ThreadSettings = { maxSockets: share, connectionTimeoutMs, idleTimeoutMs };
    const worker = new Worker(threadModule(), { workerData });
    const thread: Thread = { worker, templates: new WeakMap(), busy: 0 };
    worker.on('message', (reply: Reply) => this.#pending.get(reply.id)?.settle(reply));
    worker.on('error', (error: Error) => this.#end(thread, error));
    worker.on('exit', () => this.#end(thread, new Error('a thread that sends requests has ended')));
    return thread;
  }

  /** A thread that ends by itself is a fault: what it had may or may not have been carried out. What comes after it gets a new one. */
  #end(thread: Thread, error: Error): void {
    this.#threads = this.#threads.filter((other) => other !== thread);
    for (const { thread: own, settle } of [...this.#pending.values()]) if (own === thread) settle(error);
  }

  #abort(id: number, signal: AbortSignal | undefined): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    post(pending.thread, { kind: 'abort', id });
    pending.settle(abortError(signal));
  }

  #known(thread: Thread, template: RequestTemplate): number {
    const known = thread.templates.get(template);
    if (known !== undefined) return known;
    const number = this.#templates;
    this.#templates += 1;
    thread.templates.set(template, number);
    const { target, signatory, scope, signable, headers } = template;
    post(thread, { kind: 'template', template: number, posted: { target, signatory, scope, signable, headers } });
    return number;
  }
}

function post({ worker }: Thread, order: ThreadOrder): void {
  worker.postMessage(order);
}
