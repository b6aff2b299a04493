import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
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
  readonly #open = new Set<(error: Error) => void>();

  constructor(settings: HandlerSettings) {
    this.#settings = settings;
    const over = settings.patience?.over;
    // One listener for all: those that come and go with each request cost more than the rest of this.
    over?.addEventListener('abort', () => {
      for (const fail of this.#open) fail(abortError(over));
    });
  }

  /** `headers` are names and values by turns. */
  send(target: Target, headers: readonly string[], body: Buffer, signal: AbortSignal | undefined): Promise<Answer> {
    const { patience } = this.#settings;
    if (signal?.aborted) return Promise.reject(abortError(signal));
    if (patience?.over.aborted) return Promise.reject(abortError(patience.over));
    const startedMs = performance.now();
    const answered = patience?.begin();
    return new Promise((resolve, reject) => {
      let request: ClientRequest | undefined;
      let begun = false;
      const done = (): void => {
        this.#open.delete(fail);
        answered?.();
        if (signal !== undefined) signal.removeEventListener('abort', abort);
      };
      const fail = (error: Error): void => {
        if (!this.#open.has(fail)) return;
        done();
        request?.destroy();
        reject(noted(error, target, performance.now() - startedMs, begun));
      };
      const abort = (): void => fail(abortError(signal));
      this.#open.add(fail);
      signal?.addEventListener('abort', abort, { once: true });
      const read = (response: IncomingMessage): void => {
        begun = true;
        answered?.();
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', fail);
        response.on('end', () => {
          done();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: whole(parts) });
        });
      };
      try {
        request = this.#request(target, headers);
        request.on('error', fail).on('response', read);
        request.on('timeout', () => fail(silence(this.#settings.idleTimeoutMs)));
        request.end(body);
      } catch (error) {
        fail(error as Error);
      }
    });
  }

  #request({ protocol, hostname, port, path }: Target, headers: readonly string[]): ClientRequest {
    const { httpAgent, httpsAgent, idleTimeoutMs } = this.#settings;
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    // The time-out is the socket's: it runs while the connection is made and while nothing comes, not in the pool's queue.
    const options = { host, port, path, method: 'POST', headers, timeout: idleTimeoutMs };
    return protocol === 'https:'
      ? secureRequest({ ...options, agent: httpsAgent })
      : plainRequest({ ...options, agent: httpAgent });
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

function abortError(signal: AbortSignal | undefined): Error {
  return Object.assign(new Error('Request aborted', { cause: signal?.reason }), { name: 'AbortError' });
}
