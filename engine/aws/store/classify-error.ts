import { TablewrightError } from '../../../tables/model/error.ts';
import type { BatchOutcome } from '../../core/write/batch-outcome.ts';

/** What an error of a DynamoDB request means for the request: see `BatchOutcome`. */
export type ErrorClass = Exclude<BatchOutcome, { readonly kind: 'answered' }>;

interface SdkError extends Error {
  readonly code?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** DynamoDB Developer Guide, "Error handling: error messages and codes"; the last two are the service-wide forms. */
const throttles: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'Throttling',
  'TooManyRequestsException',
]);

const invalid: ReadonlySet<string> = new Set([
  'ValidationException',
  'ItemCollectionSizeLimitExceededException',
  'SerializationException',
  'RequestEntityTooLarge',
]);

const badCredentials: ReadonlySet<string> = new Set([
  'CredentialsProviderError',
  'ExpiredTokenException',
  'IncompleteSignatureException',
  'InvalidSignatureException',
  'MissingAuthenticationTokenException',
  'UnrecognizedClientException',
]);

const networkCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** What becomes of a request for `table` that ended in this error. */
export function classifyError(error: unknown, table: string): ErrorClass {
  if (!(error instanceof Error)) return fatal('STORE_FAILED', `${table}: the request failed`, undefined, error);
  const { name, message, code, $metadata } = error as SdkError;
  const status = $metadata?.httpStatusCode ?? 0;
  if (throttles.has(name)) return { kind: 'failed', cause: 'throttled', message: `${name}: ${message}` };
  if (invalid.has(name) || status === 413) return { kind: 'invalid', code: name, message };
  if (name === 'ResourceNotFoundException') {
    return fatal('TABLE_MISSING', `${table}: no such table`, "Run 'tablewright doctor' to see what is deployed.", error);
  }
  if (badCredentials.has(name)) {
    return fatal('NO_CREDENTIALS', `${table}: the credentials were not accepted (${name})`, 'Sign in to AWS again.', error);
  }
  if (networkCodes.has(code) || name === 'TimeoutError') return { kind: 'failed', cause: 'connection', message };
  // An answer cut short shows as a parser's error with the status of a success.
  if (status >= 500 || (status >= 200 && status < 300))
    return { kind: 'failed', cause: 'server-error', message: `${name}: ${message}` };
  return fatal('STORE_FAILED', `${table}: ${name}: ${message}`, undefined, error);
}

function fatal(
  code: 'STORE_FAILED' | 'TABLE_MISSING' | 'NO_CREDENTIALS',
  summary: string,
  next: string | undefined,
  cause: unknown,
): ErrorClass {
  return { kind: 'fatal', error: new TablewrightError(code, summary, { ...(next === undefined ? {} : { next }), cause }) };
}
