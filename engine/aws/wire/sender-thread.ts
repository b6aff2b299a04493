import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { parentPort, workerData } from 'node:worker_threads';
import type { RequestTemplate } from './request-template.ts';
import { OwnSender } from './sender.ts';
import { Signer } from './sign.ts';
import type { Reply, ThreadOrder, ThreadSettings } from './thread-messages.ts';

/** One of the threads of `SenderThreads`: signs and sends what it is given, and says what came back. */
const { maxSockets, ...timeouts } = workerData as ThreadSettings;
const pool = { keepAlive: true, maxSockets };
const httpAgent = new Agent(pool);
const httpsAgent = new SecureAgent(pool);
const sender = new OwnSender({ ...timeouts, httpAgent, httpsAgent, patience: undefined });
const templates = new Map<number, RequestTemplate>();
const sent = new Map<number, AbortController>();

const reply = (message: Reply): void => parentPort?.postMessage(message);

async function send({ id, template, body: given, dateMs }: Extract<ThreadOrder, { readonly kind: 'send' }>): Promise<void> {
  const abort = new AbortController();
  sent.set(id, abort);
  try {
    const own = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
    const { status, headers, body } = await sender.send(templates.get(template) as RequestTemplate, own, dateMs, abort.signal);
    reply({ id, status, headers, body: body.toString('latin1') });
  } catch (error) {
    const { message, name } = error as Error;
    const members = Object.entries({ ...(error as object), name }).filter(([, value]) => isPostable(value));
    reply({ id, message, members: Object.fromEntries(members) as Record<string, string> });
  } finally {
    sent.delete(id);
  }
}

/** Bytes are those of an answer that is no HTTP: what they say is told. */
function isPostable(value: unknown): boolean {
  return value instanceof Uint8Array || (typeof value !== 'object' && typeof value !== 'function');
}

parentPort?.on('message', (order: ThreadOrder) => {
  if (order.kind === 'abort') sent.get(order.id)?.abort();
  else if (order.kind === 'send') void send(order);
  else {
    const { signatory, scope, ...posted } = order.posted;
    templates.set(order.template, { ...posted, signatory, scope, signer: new Signer(signatory, scope) });
  }
});
