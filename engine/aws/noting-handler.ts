import type { Agent } from 'node:http';
import type { Agent as SecureAgent } from 'node:https';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { Patience } from './patience.ts';
import type { SdkFailure } from './store/store-error.ts';

type Handle = NodeHttpHandler['handle'];

/** What every request of a client goes through, whichever way it is written. */
export interface HandlerSettings {
  readonly httpAgent: Agent;
  readonly httpsAgent: SecureAgent;
  /** One connection, where it is to be found out whether a server likes that better; never to AWS. */
  readonly loneAgent?: Agent | undefined;
  readonly connectionTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly patience: Patience | undefined;
  /** Threads that sign and send the requests of the wire; by default none but the caller's own. */
  readonly threads?: number | undefined;
}

/**
 * An HTTP handler whose errors say which server they are of and how long that kept silent, and whose requests end soon after
 * the command is to stop.
 */
export class NotingHandler extends NodeHttpHandler {
  readonly settings: HandlerSettings;
  readonly #ends: (() => void)[] = [];

  constructor(settings: HandlerSettings) {
    const { httpAgent, httpsAgent, connectionTimeoutMs, idleTimeoutMs } = settings;
    // Of the socket, not of the request: requests that wait for a connection of the pool, and long bodies, are no silence.
    super({ httpAgent, httpsAgent, connectionTimeout: connectionTimeoutMs, socketTimeout: idleTimeoutMs });
    this.settings = settings;
  }

  /** What else ends with the handler. */
  onDestroy(end: () => void): void {
    this.#ends.push(end);
  }

  /** Also where the SDK itself never sent anything. */
  override destroy(): void {
    super.destroy();
    for (const end of this.#ends) end();
    this.settings.httpAgent.destroy();
    this.settings.loneAgent?.destroy();
    this.settings.httpsAgent.destroy();
  }

  override async handle(...[request, options = {}]: Parameters<Handle>): ReturnType<Handle> {
    const { protocol, hostname, port } = request;
    const server = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`;
    const startedMs = performance.now();
    const note = (error: SdkFailure): void => {
      error.server = server;
      error.waitedMs = performance.now() - startedMs;
    };
    try {
      const answer = await this.#patiently(request, options);
      // A body that stops in the middle fails here, after its head has come.
      answer.response.body?.on?.('error', (error: SdkFailure) => {
        note(error);
        error.cut = true;
      });
      return answer;
    } catch (error) {
      if (error instanceof Error) note(error);
      throw error;
    }
  }

  async #patiently(...[request, options = {}]: Parameters<Handle>): ReturnType<Handle> {
    const { patience } = this.settings;
    if (patience === undefined) return super.handle(request, options);
    const { over } = patience;
    const given = options.abortSignal as AbortSignal | undefined;
    const own = new AbortController();
    // Not AbortSignal.any: signals that outlive thousands of requests would keep something of each.
    const forward = (event: Event): void => own.abort((event.target as AbortSignal).reason);
    const sources = given === undefined ? [over] : [over, given];
    for (const source of sources) {
      if (source.aborted) own.abort(source.reason);
      source.addEventListener('abort', forward, { once: true });
    }
    const release = (): void => {
      for (const source of sources) source.removeEventListener('abort', forward);
    };
    const end = patience.begin();
    try {
      const answer = await super.handle(request, { ...options, abortSignal: own.signal });
      answer.response.body.once('close', release);
      return answer;
    } catch (error) {
      release();
      throw error;
    } finally {
      end();
    }
  }
}
