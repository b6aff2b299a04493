import type { HandlerSettings } from '../noting-handler.ts';
import { type Answer, Exchange } from './exchange.ts';
import type { RequestTemplate } from './request-template.ts';
import { payloadHash, signingDate } from './sign.ts';

/** Signs a request that is written and brings it to the server. */
export interface Sender {
  /** `body` is the sender's from now on; `dateMs` is the time that it is signed with. */
  send(template: RequestTemplate, body: Buffer, dateMs: number, signal: AbortSignal | undefined): Promise<Answer>;
}

/** Sends in this thread, over the connections of the client's handler. */
export class OwnSender implements Sender {
  readonly #exchange: Exchange;

  constructor(settings: HandlerSettings) {
    this.#exchange = new Exchange(settings);
  }

  send(template: RequestTemplate, body: Buffer, dateMs: number, signal: AbortSignal | undefined): Promise<Answer> {
    return this.#exchange.send(template.target, signedHeaders(template, body, dateMs), body, signal);
  }
}

function signedHeaders({ signer, signable, headers }: RequestTemplate, body: Buffer, dateMs: number): readonly string[] {
  const length = String(body.length);
  const date = signingDate(dateMs);
  const payload = payloadHash(body);
  const own = { 'content-length': length, 'x-amz-date': date, 'x-amz-content-sha256': payload };
  return [
    ...headers,
    'content-length',
    length,
    'x-amz-date',
    date,
    'x-amz-content-sha256',
    payload,
    'authorization',
    signer.authorize(signable, own),
  ];
}
