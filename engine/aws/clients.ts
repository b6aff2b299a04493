import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { keepProto } from './keep-proto.ts';
import { noteAnswers } from './note-answers.ts';
import { NotingHandler } from './noting-handler.ts';
import type { Patience } from './patience.ts';

export type { DynamoDBClient };

// The SDK warns once per process about coming Node versions; that is nothing the users of a command can act on.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

export interface ClientOptions {
  readonly region: string;
  /** Any compatible server; AWS itself when left out. */
  readonly endpoint?: string | undefined;
  /** Those of a server that this toolkit started itself. Others are asked with the caller's own. */
  readonly credentials?: Credentials | undefined;
  /** The profile of the shared AWS files whose credentials to use, where a command works with two. */
  readonly profile?: string | undefined;
  /** Connections kept open at once. */
  readonly maxSockets?: number;
  /** Tries per request, the first one included: see `defaultMaxAttempts`. */
  readonly maxAttempts?: number;
  /** Threads that sign and send the requests of the wire (see wire/), each with its share of the connections. */
  readonly threads?: number | undefined;
  /** Whether a server that is not AWS takes more over one connection is found out while it is written to. */
  readonly choosesConnections?: boolean;
  /** Ends requests soon after the command is to stop. */
  readonly patience?: Patience | undefined;
}

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The embedded S3 server knows this one key; the DynamoDB engines on this machine take any. */
export const localCredentials: Credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

export const defaultMaxSockets = 64;
/**
 * Repeating is the work of `run/store`, the writer and the backfill, by the one retry policy: their clients are made with 1,
 * or the tries would multiply. The client's own are for calls that none of them makes: tables, backups, accounts, objects.
 */
export const defaultMaxAttempts = 3;
/** To be connected, and without a byte from a server that is. Data calls of DynamoDB take well below a second. */
export const connectionTimeoutMs = 5_000;
export const idleTimeoutMs = 5_000;

/** This and command-clients.ts alone make AWS clients. */
export function dynamoClient(options: ClientOptions): DynamoDBClient {
  // The stack of a command is put together once, not for each request: a tenth of the time of a bulk load.
  const client = new DynamoDBClient({ ...clientSettings(options), cacheMiddleware: true });
  // It copies every request and answer for a log that nobody reads: a fifth of the time of a bulk load, and items do not belong in logs.
  client.middlewareStack.remove('loggerMiddleware');
  // Around the other, which reads the whole answer.
  noteAnswers(client);
  keepProto(client);
  return client;
}

/** What every client is made with. */
export function clientSettings(options: ClientOptions) {
  const { region, endpoint, profile, maxSockets = defaultMaxSockets, maxAttempts = defaultMaxAttempts } = options;
  const { patience, threads, choosesConnections = false } = options;
  const pool = { keepAlive: true, maxSockets };
  const isElsewhere = endpoint !== undefined && !isAmazon(endpoint);
  const credentials = options.credentials ?? (isElsewhere && profile === undefined ? () => ownOrLocal(patience) : undefined);
  return {
    region,
    maxAttempts,
    retryMode: 'standard',
    requestHandler: new NotingHandler({
      connectionTimeoutMs,
      idleTimeoutMs,
      httpAgent: new Agent(pool),
      httpsAgent: new SecureAgent(pool),
      loneAgent: choosesConnections && isElsewhere ? new Agent({ ...pool, maxSockets: 1 }) : undefined,
      patience,
      threads,
    }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(profile === undefined ? {} : { profile }),
    ...(credentials === undefined ? {} : { credentials }),
  };
}

type Found = Awaited<ReturnType<DynamoDBClient['config']['credentials']>>;

let usualChain: (() => Promise<Found>) | undefined;

/**
 * What a compatible server is asked with: the caller's credentials, found as for AWS, because some servers keep accounts
 * apart by them or check signatures; only where there are none at all, the local ones.
 */
async function ownOrLocal(patience: Patience | undefined): Promise<Found> {
  // A client has the chain, searched once and renewed when what it found expires; who has to be asked for them (a role, a single
  // sign-on) is asked as patiently as that client asks.
  usualChain ??= new DynamoDBClient(clientSettings({ region: 'us-east-1', patience })).config.credentials;
  try {
    return await usualChain();
  } catch (error) {
    // The next one who asks has patience of his own.
    usualChain = undefined;
    if (error instanceof Error && error.name === 'CredentialsProviderError' && !isChosen(process.env)) return localCredentials;
    throw error;
  }
}

/** Did someone say which credentials to use? Then there is no falling back on others. */
function isChosen({ AWS_PROFILE, AWS_ACCESS_KEY_ID, AWS_WEB_IDENTITY_TOKEN_FILE }: NodeJS.ProcessEnv): boolean {
  return [AWS_PROFILE, AWS_ACCESS_KEY_ID, AWS_WEB_IDENTITY_TOKEN_FILE].some((value) => value !== undefined && value !== '');
}

/** An address of AWS itself, such as that of a VPC or another region. */
export function isAmazon(endpoint: string): boolean {
  const host = URL.canParse(endpoint) ? new URL(endpoint).hostname : '';
  return /(^|\.)(amazonaws\.com(\.cn)?|api\.aws|amazonwebservices\.com\.cn)$/.test(host);
}

export function isLoopback(endpoint: string): boolean {
  const host = URL.canParse(endpoint) ? new URL(endpoint).hostname : '';
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}
