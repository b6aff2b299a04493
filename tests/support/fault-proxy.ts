import {
  Agent,
  createServer,
  request as forwardRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Parts, splitBatch } from './fault-batch.ts';

/** Which faults to make, each as a share from 0 to 1 of the requests, or of the entries of a batch. */
export interface Faults {
  /** Entries of a BatchWriteItem given back as unprocessed, statements of a BatchExecuteStatement as ThrottlingError. Not forwarded. */
  readonly unprocessed?: number;
  /** Requests answered with ProvisionedThroughputExceededException. */
  readonly throttle?: number;
  /** Single statements (ExecuteStatement) refused with a ThrottlingException. Not forwarded. */
  readonly refusedAlone?: number;
  /** What the exceptions of `throttle` and `refusedAlone` give as reasons, as DynamoDB does since 2025. */
  readonly reasons?: readonly { readonly reason: string; readonly resource: string }[];
  /** Requests answered with a 500. */
  readonly serverError?: number;
  /** Connections cut before the request is forwarded. */
  readonly cutBefore?: number;
  /** Connections cut after the engine has carried it out: the client does not know. */
  readonly cutAfter?: number;
  /** Answers of which only the first half arrives. */
  readonly truncate?: number;
  /** Every answer is held back by a time up to this. */
  readonly delayMs?: number;
  /** The operations to disturb; others pass untouched. Writes in batches when left out. */
  readonly operations?: readonly string[];
}

export interface FaultProxy {
  readonly endpoint: string;
  /** Requests that arrived, by operation. */
  readonly requests: ReadonlyMap<string, number>;
  /** Faults that were made, by kind; for `unprocessed`, the entries. */
  readonly made: ReadonlyMap<keyof Faults, number>;
  /** From now on these faults, `{}` for none, drawn anew from the seed; `made` begins at nothing. */
  set(faults: Faults, seed?: number): void;
  close(): Promise<void>;
}

export const batchOperations: readonly string[] = ['BatchWriteItem', 'BatchExecuteStatement'];

type WholeFault = 'throttle' | 'serverError' | 'cutBefore' | 'cutAfter' | 'truncate';
const wholeFaults: readonly WholeFault[] = ['throttle', 'serverError', 'cutBefore', 'cutAfter', 'truncate'];

interface Answer {
  readonly status: number;
  /** By which the engine says who it is. */
  readonly signature?: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/** A loopback server before a DynamoDB endpoint that misbehaves as told; the same seed gives the same draws. */
export async function openFaultProxy(target: string, first: Faults = {}, seed = 1): Promise<FaultProxy> {
  const proxy = new LoopbackProxy(target, first, seed);
  await proxy.listen();
  return proxy;
}

class LoopbackProxy implements FaultProxy {
  readonly requests = new Map<string, number>();
  readonly made = new Map<keyof Faults, number>();
  readonly #target: URL;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #random: () => number;
  #faults: Faults;

  constructor(target: string, faults: Faults, seed: number) {
    this.#target = new URL(target);
    this.#faults = faults;
    this.#random = seededRandom(seed);
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  set(faults: Faults, seed = 1): void {
    this.#faults = faults;
    this.#random = seededRandom(seed);
    this.made.clear();
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const operation = String(request.headers['x-amz-target'] ?? '').replace(/^.*\./, '');
      add(this.requests, operation, 1);
      const faults = (this.#faults.operations ?? batchOperations).includes(operation) ? this.#faults : {};
      const body = await read(request);
      if (faults.delayMs !== undefined) await sleep(this.#random() * faults.delayMs);
      if (operation === 'ExecuteStatement' && this.#random() < (this.#faults.refusedAlone ?? 0)) {
        add(this.made, 'refusedAlone', 1);
        reply(response, refusedAlone(this.#faults.reasons));
        return;
      }
      const fault = this.#draw(faults);
      if (fault === 'cutBefore') request.socket.destroy();
      else if (fault === 'throttle') reply(response, throttled(faults.reasons));
      else if (fault === 'serverError') reply(response, failed);
      else deliver(request, response, await this.#answer(operation, faults, request, body), fault);
    } catch {
      // The client is gone, or the engine is: the client sees a broken connection either way.
      request.socket.destroy();
    }
  }

  #draw(faults: Faults): WholeFault | undefined {
    const fault = wholeFaults.find((kind) => this.#random() < (faults[kind] ?? 0));
    if (fault !== undefined) add(this.made, fault, 1);
    return fault;
  }

  async #answer(operation: string, faults: Faults, request: IncomingMessage, body: Buffer): Promise<Answer> {
    const share = faults.unprocessed ?? 0;
    const parts: Parts | undefined =
      share === 0 ? undefined : splitBatch(operation, JSON.parse(body.toString()), () => this.#random() < share);
    if (parts === undefined) return this.#forward(request, body);
    add(this.made, 'unprocessed', parts.heldBack);
    if (parts.forward === undefined) return { status: 200, body: json(parts.merge({})) };
    const answer = await this.#forward(request, json(parts.forward));
    if (answer.status !== 200 || parts.heldBack === 0) return answer;
    return { ...answer, body: json(parts.merge(JSON.parse(answer.body.toString()))) };
  }

  #forward(request: IncomingMessage, body: Buffer): Promise<Answer> {
    const headers = { ...request.headers, host: this.#target.host, 'content-length': String(body.length) };
    const { hostname, port } = this.#target;
    return new Promise((resolve, reject) => {
      const sent = forwardRequest({ agent: this.#agent, hostname, port, path: '/', method: 'POST', headers }, (answer) => {
        const signature = signatureOf(answer);
        read(answer).then((text) => resolve({ status: answer.statusCode ?? 500, signature, body: text }), reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

/** DynamoDB API reference: this exception spells its reasons with a capital, ThrottlingException does not. */
const throttled = (ThrottlingReasons: Faults['reasons']): Answer => ({
  status: 400,
  body: json({
    __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
    message: 'The level of configured provisioned throughput for the table was exceeded.',
    ThrottlingReasons,
  }),
});

const refusedAlone = (throttlingReasons: Faults['reasons']): Answer => ({
  status: 400,
  body: json({
    __type: 'com.amazon.coral.availability#ThrottlingException',
    message: 'Throughput exceeds the current capacity of your table or index.',
    throttlingReasons,
  }),
});

const failed: Answer = {
  status: 500,
  body: json({ __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError', message: 'Internal server error' }),
};

function deliver(request: IncomingMessage, response: ServerResponse, answer: Answer, fault: WholeFault | undefined): void {
  if (fault === 'cutAfter') request.socket.destroy();
  else if (fault !== 'truncate') reply(response, answer);
  else {
    response.writeHead(answer.status, {
      ...answer.signature,
      'content-type': contentType,
      'content-length': answer.body.length,
    });
    response.write(answer.body.subarray(0, Math.floor(answer.body.length / 2)), () => request.socket.destroy());
  }
}

const contentType = 'application/x-amz-json-1.0';

/** Without the engine's x-amz-crc32, which would not fit an altered body. */
function reply(response: ServerResponse, { status, signature, body }: Answer): void {
  response.writeHead(status, { ...signature, 'content-type': contentType, 'content-length': body.length });
  response.end(body);
}

export function signatureOf({ headers }: IncomingMessage): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-dynoxide-')));
}

async function read(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function add<K>(counts: Map<K, number>, key: K, more: number): void {
  if (more > 0) counts.set(key, (counts.get(key) ?? 0) + more);
}

/** Numbers from 0 up to 1, always the same ones for a seed (a Weyl sequence through two multiply-and-shift rounds). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}
