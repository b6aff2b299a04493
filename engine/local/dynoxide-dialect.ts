import { type DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { type Dialect, dialectOf, type Speaks } from '../core/store/dialect.ts';

/** Every answer of the embedded engine carries it; no other server's does. */
const signature = 'x-dynoxide-version';

/** Quoted names and texts, which pass as they are, and the keywords that follow or end a list of changes. */
const words = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\b(?:SET|REMOVE|WHERE)\b/gi;

/**
 * A statement in the embedded engine's words. AWS has one SET or REMOVE for each attribute (Developer Guide, "PartiQL update
 * statements for DynamoDB"); the embedded engine takes one of each, and commas.
 */
export function dynoxideStatement(text: string): string {
  let last = '';
  return text.replace(words, (word) => {
    if (word.startsWith('"') || word.startsWith("'")) return word;
    const keyword = word.toUpperCase();
    const again = keyword === last && last !== 'WHERE';
    last = last === 'WHERE' ? last : keyword;
    return again ? ',' : word;
  });
}

interface Statements {
  readonly Statement?: string | undefined;
  readonly Statements?: readonly { readonly Statement?: string | undefined }[] | undefined;
  readonly TransactStatements?: readonly { readonly Statement?: string | undefined }[] | undefined;
}

const hasStatements = (input: object): input is Statements =>
  'Statement' in input || 'Statements' in input || 'TransactStatements' in input;

function translated<Input extends Statements>(input: Input): Input {
  const one = <T extends { readonly Statement?: string | undefined }>(entry: T): T =>
    entry.Statement === undefined ? entry : { ...entry, Statement: dynoxideStatement(entry.Statement) };
  return {
    ...one(input),
    ...(input.Statements === undefined ? {} : { Statements: input.Statements.map(one) }),
    ...(input.TransactStatements === undefined ? {} : { TransactStatements: input.TransactStatements.map(one) }),
  };
}

interface Response {
  readonly headers?: Readonly<Record<string, string>>;
  readonly statusCode?: number;
}

/**
 * Whoever may not list tables may still send statements. A refusal for the clock is none: the SDK has set its own by it, so a
 * statement would pass next, in words that its server may not understand.
 */
function isRefusal(error: unknown): boolean {
  const { $metadata } = error as {
    readonly $metadata?: { readonly httpStatusCode?: number; readonly clockSkewCorrected?: boolean };
  };
  const status = $metadata?.httpStatusCode ?? 0;
  return status >= 400 && status < 500 && $metadata?.clockSkewCorrected !== true;
}

/**
 * Makes a client speak the embedded engine's dialect where the server says that it is one; any other server gets what AWS
 * takes. Which of them it is shows in each answer, so it is asked for only when a statement comes before the first answer:
 * a statement in the wrong words would not be harmless to send again, because others of its batch have then been carried out.
 */
export function speakDialect(client: DynamoDBClient): DynamoDBClient {
  const dialect = dynoxideDialect(() => client.send(new ListTablesCommand({ Limit: 1 })));
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { headers = {}, statusCode = 0 } = result.response as Response;
      dialect.heard(statusCode, headers);
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'serverSignature' },
  );
  client.middlewareStack.add((next) => async (args) => next({ ...args, input: await dialect.worded(args.input) }), {
    step: 'initialize',
    name: 'dynoxideDialect',
  });
  // For those who write requests without the SDK.
  const speaking: Speaks = { [dialectOf]: dialect };
  return Object.assign(client, speaking);
}

function dynoxideDialect(ask: () => Promise<unknown>): Dialect {
  let server: 'unknown' | 'dynoxide' | 'other' = 'unknown';
  return {
    heard: (status, headers) => {
      if (signature in headers) server = 'dynoxide';
      // A refusal or a failure may come from something in between.
      else if (server === 'unknown' && status === 200) server = 'other';
    },
    worded: async (input) => {
      if (!hasStatements(input)) return input;
      if (server === 'unknown') {
        await ask().catch((error: unknown) => {
          // An answer has been heard. Without one the statement fails as its question did, and goes again with it.
          if (server === 'unknown' && !isRefusal(error)) throw error;
        });
      }
      return server === 'dynoxide' ? translated(input) : input;
    },
  };
}
