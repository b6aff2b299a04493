import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { missingMember } from './expected-members.ts';
import type { SdkFailure } from './store/store-error.ts';

/** Of a text that is no answer, no more than this is shown. */
const maxShownLength = 100;

interface Response {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

interface Request {
  readonly protocol?: string;
  readonly hostname?: string;
  readonly port?: number;
}

/** What a server sent that does not speak DynamoDB's protocol: a web page, a redirect, a greeting. */
class ForeignAnswer extends Error {
  readonly $metadata: { readonly httpStatusCode: number };
  readonly sent: string;

  constructor(status: number, sent: string) {
    super(sent);
    this.name = 'ForeignAnswer';
    this.$metadata = { httpStatusCode: status };
    this.sent = sent;
  }
}

/**
 * Makes a client's failures say which call of which server they are of, by how much the clocks differ, and what the server
 * sent where that was no answer of DynamoDB. The SDK itself only says that there is a hidden field to inspect.
 */
export function noteAnswers(client: DynamoDBClient): void {
  // The client repeats by itself: what one try may have done, a later failure does not undo.
  const perhapsDone = new WeakSet<object>();
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const response = result.response as Response;
      if (isForeign(response)) throw new ForeignAnswer(response.statusCode, shown(response, response.body));
      return result;
    },
    // Within the SDK's reading.
    { name: 'refuseForeignAnswers', step: 'deserialize', priority: 'low' },
  );
  client.middlewareStack.add(
    (next, context) => async (args) => {
      try {
        const result = await next(args);
        const missing = missingMember(operationOf(context.commandName), result.output ?? {});
        if (missing !== undefined) throw new ForeignAnswer(200, `HTTP 200: JSON without ${missing}`);
        return result;
      } catch (error) {
        if (error instanceof Error) {
          note(error, args.request as Request, context.commandName);
          if (mayBeDone(error)) perhapsDone.add(args.input);
          (error as SdkFailure).unsent = !perhapsDone.has(args.input);
        }
        throw error;
      }
    },
    // Around it.
    { name: 'noteAnswers', step: 'deserialize', priority: 'high' },
  );
}

interface Unread extends SdkFailure {
  readonly $response?: Response;
  /** What Node took for no HTTP. */
  readonly rawPacket?: Uint8Array;
}

function note(error: Unread, { protocol = '', hostname = '', port }: Request, command: string | undefined): void {
  error.server ??= `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`;
  error.operation ??= operationOf(command);
  const { $response, rawPacket } = error;
  if (rawPacket !== undefined) error.sent ??= firstLine(Buffer.from(rawPacket).toString());
  // No JSON, or JSON that is neither a result nor an error of DynamoDB.
  if ($response !== undefined && (error instanceof SyntaxError || error.name === 'Unknown')) {
    error.sent ??= shown($response, $response.body);
  }
  const serverMs = Date.parse($response?.headers.date ?? '');
  if (!Number.isNaN(serverMs)) error.clockAheadMs = Date.now() - serverMs;
}

const operationOf = (command = ''): string => command.replace(/Command$/, '');

/** No connection was made at all. */
const notConnected: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** A refusal is an answer, unless it says that the request is at work already; everything else leaves open what the server did. */
function mayBeDone({ name, code, $metadata }: SdkFailure): boolean {
  if (name === 'TransactionInProgressException') return true;
  const status = $metadata?.httpStatusCode ?? 0;
  return !notConnected.has(code) && (status < 300 || status >= 500);
}

/** DynamoDB answers in JSON, with 200, 400 or a failure of its own, and sends nobody elsewhere. */
function isForeign({ statusCode, headers, body }: Response): boolean {
  const type = headers['content-type'];
  if (statusCode === 200 && body instanceof Uint8Array && body.length === 0) return true;
  return (statusCode > 200 && statusCode < 400) || (type !== undefined && !/json/i.test(type));
}

/** `HTTP 301 to https://…`, `HTTP 200, text/html: <!doctype html>`. JSON is not shown: it may be half of an item. */
function shown({ statusCode, headers }: Response, body: unknown): string {
  const { location, 'content-type': type } = headers;
  if (location !== undefined) return `HTTP ${statusCode} to ${location}`;
  const bytes = body instanceof Uint8Array ? Buffer.from(body) : Buffer.of();
  const what =
    statusCode === 200 && /json/i.test(type ?? '')
      ? `JSON that breaks off after ${bytes.length} bytes`
      : firstLine(bytes.toString());
  return `HTTP ${statusCode}${type === undefined ? '' : `, ${type}`}: ${what || 'nothing'}`;
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split(/\r?\n/);
  return line.length > maxShownLength ? `${line.slice(0, maxShownLength)}…` : line;
}
