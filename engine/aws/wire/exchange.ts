import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { ConnectionChoice, type Passage } from '../../core/store/connection-choice.ts';
import type { HandlerSettings } from '../noting-handler.ts';
import type { SdkFailure } from '../store/store-error.ts';

export interface Target {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number | undefined;
  readonly path: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What the SDK's own handler takes for a time-out. */
const timeouts: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/**
 * Posts over the connections of the SDK's handler, with its time-outs and its patience; its errors are noted as that handler's
 * are. What it leaves out is what the handler does for bodies that are streams.
 */
export class Exchange {
  readonly #settings: HandlerSettings;
  readonly #open = new Set<Post>();
  readonly #choice: ConnectionChoice | undefined;

  constructor(settings: HandlerSettings) {
    this.#choice = settings.loneAgent === undefined ? undefined : new ConnectionChoice();
    this.#settings = settings;
    const over = settings.patience?.over;
    // One listener for all: those that come and go with each request cost more than the rest of this.
    over?.addEventListener('abort', () => {
      for (const post of this.#open) post.fail(abortError(over));
    });
  }

  /** `headers` are names and values by turns. */
  send(target: Target, headers: readonly string[], body: Buffer, signal: AbortSignal | undefined): Promise<Answer> {
    const over = this.#settings.patience?.over;
    const stopped = signal?.aborted ? signal : over?.aborted ? over : undefined;
    if (stopped !== undefined) return Promise.reject(abortError(stopped));
    return new Promise((resolve, reject) => {
      const post = new Post(this.#settings, target, this.#open, this.#choice, signal, resolve, reject);
      this.#open.add(post);
      post.start(headers, body);
    });
  }
}

/** One request on its way. A class, since functions made for each request would each cost as much as a header. */
class Post {
  readonly #settings: HandlerSettings;
  readonly #target: Target;
  readonly #open: Set<Post>;
  readonly #signal: AbortSignal | undefined;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: Error) => void;
  readonly #startedMs = performance.now();
  readonly #answered: (() => void) | undefined;
  readonly #choice: ConnectionChoice | undefined;
  readonly #passage: Passage | undefined;
  readonly #parts: Buffer[] = [];
  #bytes = 0;
  #abort: (() => void) | undefined;
  #request: ClientRequest | undefined;
  /** The head of the answer has come. */
  #begun = false;

  constructor(
    settings: HandlerSettings,
    target: Target,
    open: Set<Post>,
    choice: ConnectionChoice | undefined,
    signal: AbortSignal | undefined,
    resolve: (answer: Answer) => void,
    reject: (error: Error) => void,
  ) {
    this.#settings = settings;
    this.#target = target;
    this.#open = open;
    this.#choice = choice;
    this.#passage = choice?.begin();
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#answered = settings.patience?.begin();
  }

  start(headers: readonly string[], body: Buffer): void {
    if (this.#signal !== undefined) {
      this.#abort = () => this.fail(abortError(this.#signal));
      this.#signal.addEventListener('abort', this.#abort, { once: true });
    }
    try {
      const request = this.#make(headers);
      this.#request = request;
      request.on('error', (error) => this.fail(error));
      request.on('timeout', () => this.fail(silence(this.#settings.idleTimeoutMs)));
      request.on('response', (response) => this.#read(response));
      request.end(body);
      this.#bytes = body.length;
    } catch (error) {
      this.fail(error as Error);
    }
  }

  fail(error: Error): void {
    if (!this.#leave(undefined)) return;
    this.#request?.destroy();
    this.#reject(noted(error, this.#target, performance.now() - this.#startedMs, this.#begun));
  }

  #make(headers: readonly string[]): ClientRequest {
    const { protocol, hostname, port, path } = this.#target;
    const { httpAgent, httpsAgent, loneAgent, idleTimeoutMs } = this.#settings;
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    // The time-out is the socket's: it runs while the connection is made and while nothing comes, not in the pool's queue.
    const options = { host, port, path, method: 'POST', headers, timeout: idleTimeoutMs };
    return protocol === 'https:'
      ? secureRequest({ ...options, agent: httpsAgent })
      : plainRequest({ ...options, agent: this.#passage?.way === 'one' ? loneAgent : httpAgent });
  }

  #read(response: IncomingMessage): void {
    this.#begun = true;
    this.#answered?.();
    response.on('data', (part: Buffer) => this.#parts.push(part));
    response.on('error', (error) => this.fail(error));
    response.on('end', () => {
      const body = whole(this.#parts);
      if (!this.#leave(this.#bytes + body.length)) return;
      // First the connection is handed to a request that waits for it, in the ticks that follow; the server works on that while the answer is read.
      setImmediate(this.#resolve, { status: response.statusCode ?? 0, headers: response.headers, body });
    });
  }

  /** False when it is over already. `bytes` of the exchange; undefined when it failed. */
  #leave(bytes: number | undefined): boolean {
    if (!this.#open.delete(this)) return false;
    if (this.#passage !== undefined) this.#choice?.end(this.#passage, bytes, performance.now());
    this.#answered?.();
    if (this.#abort !== undefined) this.#signal?.removeEventListener('abort', this.#abort);
    return true;
  }
}

function whole(parts: readonly Buffer[]): Buffer {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}

function noted(error: SdkFailure, { protocol, hostname, port }: Target, waitedMs: number, begun: boolean): SdkFailure {
  if (!begun && timeouts.has(error.code)) error.name = 'TimeoutError';
  error.server = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`;
  error.waitedMs = waitedMs;
  if (begun && error.name !== 'AbortError') error.cut = true;
  return error;
}

function silence(idleTimeoutMs: number): Error {
  return Object.assign(new Error(`nothing came within ${idleTimeoutMs} ms`), { name: 'TimeoutError' });
}

export function abortError(signal: AbortSignal | undefined): Error {
  return Object.assign(new Error('Request aborted', { cause: signal?.reason }), { name: 'AbortError' });
}
