import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dialectOf, type Speaks } from '../../core/store/dialect.ts';
import type { NotingHandler } from '../noting-handler.ts';
import type { Answer } from './exchange.ts';
import { readAnswer } from './read-answer.ts';
import { requestBytes } from './request-bytes.ts';
import { commandOf, sdkWire } from './sdk-wire.ts';
import { OwnSender, type Sender } from './sender.ts';
import { SenderThreads } from './sender-threads.ts';
import { type ShelfTemplate, TemplateShelf } from './template-shelf.ts';
import type { Wire, WireInput, WireOperation, WireOutput } from './wire.ts';

/** What the SDK takes for a clock that is wrong, and for an answer that is too old to set it by (`@aws-sdk/core`). */
const clockSkewMs = 240_000;
const staleAnswerMs = 900_000;

/**
 * Writes requests to text and signs them by itself, over the client's own connections. What is no plain success is given to
 * the SDK to read, so that every failure is the SDK's own; and what cannot be written in the SDK's likeness is sent by it.
 */
export class DirectWire implements Wire {
  readonly #client: DynamoDBClient & Speaks;
  readonly #sender: Sender;
  readonly #shelf: TemplateShelf;
  readonly #sdk: Wire;

  constructor(client: DynamoDBClient, handler: NotingHandler) {
    this.#client = client;
    this.#sender = senderOf(handler);
    this.#shelf = new TemplateShelf(client);
    this.#sdk = sdkWire(client);
  }

  async call<O extends WireOperation>(operation: O, input: WireInput<O>, signal?: AbortSignal): Promise<WireOutput<O>> {
    const template = await this.#shelf.of(operation, input);
    if (template === undefined) return this.#sdk.call(operation, input, signal);
    const answer = await this.#send(operation, template, input, signal);
    return readAnswer(operation, answer.body) ?? ((await this.#readBySdk(operation, async () => answer)) as WireOutput<O>);
  }

  async text<O extends WireOperation>(operation: O, input: WireInput<O>, signal?: AbortSignal): Promise<Uint8Array> {
    const template = await this.#shelf.of(operation, input);
    if (template === undefined) return this.#sdk.text(operation, input, signal);
    return (await this.#send(operation, template, input, signal)).body;
  }

  /** The answer of a success. */
  async #send<O extends WireOperation>(
    operation: O,
    template: ShelfTemplate,
    input: WireInput<O>,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const { [dialectOf]: dialect, config } = this.#client;
    const worded = dialect === undefined ? input : await dialect.worded(input);
    const body = requestBytes(operation === 'TransactWriteItems' ? withToken(worded) : worded);
    const clockOffset = config.systemClockOffset;
    const sentMs = Date.now();
    const sent = this.#sender.send(template, body, sentMs + (template.setsClock ? clockOffset : 0), signal);
    const answer = await sent.catch(() => undefined);
    if (answer === undefined || !isSuccess(answer)) {
      await this.#readBySdk(operation, () => sent).catch((error: unknown) => {
        throw template.setsClock ? withClock(error, clockOffset, config.systemClockOffset) : error;
      });
      // What the SDK takes for an answer after all.
      return sent;
    }
    dialect?.heard(answer.status, answer.headers);
    if (template.setsClock) this.#setClock(answer, sentMs);
    return answer;
  }

  /** What the SDK makes of an answer, or of the lack of one: all its middleware see it as if it had come to them. */
  #readBySdk(operation: WireOperation, outcome: () => Promise<Answer>): Promise<unknown> {
    const command = commandOf(operation, {});
    command.middlewareStack.add(
      () => async () => {
        const { status, headers, body } = await outcome();
        return { response: { statusCode: status, headers, body: Readable.from([body]) } } as never;
      },
      // In the place of the sending.
      { step: 'deserialize', priority: 'low', name: 'readBySdk' },
    );
    return this.#client.send(command, {});
  }

  /** As the SDK does with every answer. */
  #setClock({ headers: { date, age } }: Answer, sentMs: number): void {
    const serverMs = date === undefined || age !== undefined ? Number.NaN : Date.parse(date);
    const nowMs = Date.now();
    if (!Number.isNaN(serverMs) && nowMs - sentMs <= staleAnswerMs) this.#client.config.systemClockOffset = serverMs - nowMs;
  }
}

/** Threads where the client was made with some; they end with its handler. */
function senderOf(handler: NotingHandler): Sender {
  const { settings } = handler;
  const { threads = 1 } = settings;
  if (threads === 1) return new OwnSender(settings);
  const sender = new SenderThreads(settings, threads);
  handler.onDestroy(() => sender.close());
  return sender;
}

/** DynamoDB's plain answer: everything else is for the SDK to say what it is. */
function isSuccess({ status, headers, body }: Answer): boolean {
  const type = headers['content-type'];
  return status === 200 && body.length > 0 && (type === undefined || /json/i.test(type));
}

/** The SDK gives every transaction a token, so that one that is sent twice is carried out once. */
function withToken<Input extends object>(input: Input): Input {
  return 'ClientRequestToken' in input && input.ClientRequestToken !== undefined
    ? input
    : { ...input, ClientRequestToken: randomUUID() };
}

/**
 * Several requests may have been on their way with the wrong time when the first answer set the clock. The SDK compares with
 * the time that a request was signed by; here it has seen only the reading of the answer.
 */
function withClock(error: unknown, signedWith: number, offset: number): unknown {
  const { $metadata } = error as { readonly $metadata?: { httpStatusCode?: number; clockSkewCorrected?: boolean } };
  if ($metadata?.httpStatusCode !== undefined && Math.abs(offset) >= clockSkewMs && offset !== signedWith) {
    $metadata.clockSkewCorrected = true;
  }
  return error;
}
