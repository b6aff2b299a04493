import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { STSClient } from '@aws-sdk/client-sts';
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { NotingHandler } from './noting-handler.ts';

export type { CloudWatchLogsClient, DynamoDBClient, DynamoDBDocument, S3Client };

// The SDK warns once per process about coming Node versions; that is nothing the users of a command can act on.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

export interface ClientOptions {
  readonly region: string;
  /** Any compatible server; AWS itself when left out. */
  readonly endpoint?: string | undefined;
  /** Connections kept open at once. */
  readonly maxSockets?: number;
  /** Tries per request, the first one included. Callers that retry by their own budget set 1. */
  readonly maxAttempts?: number;
}

/** The embedded S3 server knows this one key; the embedded DynamoDB engine takes any. */
export const localCredentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

export const defaultMaxSockets = 64;
export const defaultMaxAttempts = 5;
/** To be connected, and without a byte from a server that is. Data calls of DynamoDB take well below a second. */
export const connectionTimeoutMs = 5_000;
export const idleTimeoutMs = 5_000;

/** The only place that makes AWS clients. */
export function dynamoClient(options: ClientOptions): DynamoDBClient {
  // The stack of a command is put together once, not for each request: a tenth of the time of a bulk load.
  const client = new DynamoDBClient({ ...shared(options), cacheMiddleware: true });
  // It copies every request and answer for a log that nobody reads: a fifth of the time of a bulk load, and items do not belong in logs.
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}

/** The client for plain objects. Numbers come as NumberValue with all their digits; `undefined` members are left out. */
export function documentClient(client: DynamoDBClient): DynamoDBDocument {
  // It puts its own middleware before each command's, which a stack put together once would not see.
  client.config.cacheMiddleware = false;
  return DynamoDBDocument.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: true },
  });
}

export function s3Client(options: ClientOptions): S3Client {
  return new S3Client({ ...shared(options), forcePathStyle: options.endpoint !== undefined });
}

export function logsClient(options: ClientOptions): CloudWatchLogsClient {
  return new CloudWatchLogsClient(shared(options));
}

/** Always AWS itself: a compatible server has no accounts. */
export function stsClient({ region }: Pick<ClientOptions, 'region'>): STSClient {
  return new STSClient(shared({ region }));
}

function shared({ region, endpoint, maxSockets = defaultMaxSockets, maxAttempts = defaultMaxAttempts }: ClientOptions) {
  const pool = { keepAlive: true, maxSockets };
  return {
    region,
    maxAttempts,
    retryMode: 'standard',
    requestHandler: new NotingHandler({
      connectionTimeout: connectionTimeoutMs,
      // Of the socket, not of the request: requests that wait for a connection of the pool, and long bodies, are no silence.
      socketTimeout: idleTimeoutMs,
      httpAgent: new Agent(pool),
      httpsAgent: new SecureAgent(pool),
    }),
    ...(endpoint === undefined ? {} : { endpoint }),
    // A server on this machine checks no signature; asking for real credentials would only get in the way.
    ...(endpoint !== undefined && isLoopback(endpoint) ? { credentials: localCredentials } : {}),
  };
}

export function isLoopback(endpoint: string): boolean {
  const host = URL.canParse(endpoint) ? new URL(endpoint).hostname : '';
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}
