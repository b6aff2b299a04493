import { type ErrorCode, type RetryCause, TablewrightError } from '../../../tables/model/error.ts';
import type { BatchOutcome } from '../../core/write/batch-outcome.ts';

/** An error as the SDK and Node make it. `server` and `waitedMs` are noted by the clients of `clients.ts`. */
export interface SdkFailure extends Error {
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
  server?: string;
  waitedMs?: number;
}

/** What an error means. The first line of the table that fits counts. */
interface Meaning {
  /** Names of SDK errors, codes of Node's network errors. */
  readonly is: readonly string[];
  readonly status?: (status: number) => boolean;
  /**
   * A cause: it may go again as it is. `invalid`: a part of the request is one that is never taken. `fatal`: nothing of the
   * kind can succeed.
   */
  readonly meaning: Exclude<RetryCause, 'unprocessed'> | 'invalid' | 'fatal';
  readonly code: ErrorCode;
  readonly says: (failure: SdkFailure) => string;
  readonly next: string;
}

const named = ({ name, message }: SdkFailure): string => `${name}: ${message}`;
const serverOf = ({ server }: SdkFailure): string => (server === undefined ? 'the server' : `the server ${server}`);

/** Who is refused by IAM has to be given a policy; the command line says which. */
export const deniedNext =
  'The caller lacks this permission; docs/infrastructure.md says which policy of the stack each command and call needs.';

const checkNetwork = 'Check --endpoint and the network, then run the command again.';

/**
 * DynamoDB Developer Guide, "Error handling: error messages and codes", and Node's network errors.
 *
 * A name that does not resolve (ENOTFOUND) is taken for a network that is down, as EAI_AGAIN is: resolvers answer so while a
 * machine is off the net, and that must not end a run of hours. A misspelt name only costs the few seconds of the retries.
 */
const meanings: readonly Meaning[] = [
  {
    is: [
      'ProvisionedThroughputExceededException',
      'RequestLimitExceeded',
      'ThrottlingException',
      'Throttling',
      'TooManyRequestsException',
    ],
    meaning: 'throttled',
    code: 'STORE_FAILED',
    says: named,
    next: 'The table is short of capacity: raise it, or work with a smaller budget, then run the command again.',
  },
  {
    is: ['ValidationException', 'ItemCollectionSizeLimitExceededException', 'SerializationException', 'RequestEntityTooLarge'],
    status: (status) => status === 413,
    meaning: 'invalid',
    code: 'STORE_FAILED',
    says: named,
    next: 'Correct what it names, then run the command again; nothing of this request was done.',
  },
  {
    is: ['ResourceNotFoundException'],
    meaning: 'fatal',
    code: 'TABLE_MISSING',
    says: () => 'the table or index does not exist in this stack',
    next: "Run 'tablewright doctor' to see what is missing; 'tablewright up' makes the local tables, 'npx pulumi up' those of a stack.",
  },
  {
    is: [
      'CredentialsProviderError',
      'ExpiredTokenException',
      'IncompleteSignatureException',
      'InvalidSignatureException',
      'MissingAuthenticationTokenException',
      'UnrecognizedClientException',
    ],
    meaning: 'fatal',
    code: 'NO_CREDENTIALS',
    says: ({ message }) => `AWS does not accept the credentials: ${message}`,
    next: "Sign in (for instance 'aws sso login') or set AWS_PROFILE, then run the command again.",
  },
  {
    // DynamoDB's name for it, and S3's.
    is: ['AccessDeniedException', 'AccessDenied'],
    meaning: 'fatal',
    code: 'STORE_FAILED',
    says: named,
    next: deniedNext,
  },
  {
    is: ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
    meaning: 'connection',
    code: 'STORE_FAILED',
    says: (failure) => `${serverOf(failure)} cannot be reached (${failure.code})`,
    next: checkNetwork,
  },
  {
    // Behind the codes: the SDK gives this name to connections that were reset, too.
    is: ['TimeoutError', 'ETIMEDOUT'],
    meaning: 'no-answer',
    code: 'STORE_FAILED',
    says: (failure) => `${serverOf(failure)} gave no answer${waited(failure)}`,
    next: checkNetwork,
  },
  {
    is: [],
    // An answer cut short shows as a parser's error with the status of a success.
    status: (status) => status >= 500 || (status >= 200 && status < 300),
    meaning: 'server-error',
    code: 'STORE_FAILED',
    says: named,
    next: 'The server failed by itself; run the command again.',
  },
];

const unknown: Meaning = {
  is: [],
  meaning: 'fatal',
  code: 'STORE_FAILED',
  says: named,
  next: 'Correct what it names, then run the command again.',
};

function waited({ waitedMs }: SdkFailure): string {
  return waitedMs === undefined ? '' : ` within ${(waitedMs / 1_000).toFixed(0)} s`;
}

function meaningOf({ name, code, $metadata }: SdkFailure): Meaning {
  const status = $metadata?.httpStatusCode ?? 0;
  const fits = ({ is, status: test }: Meaning): boolean =>
    is.includes(name) || (code !== undefined && is.includes(code)) || test?.(status) === true;
  return meanings.find(fits) ?? unknown;
}

/** What a failed call means to the person who made it. Aborts and our own errors pass as they are. */
export function storeError(where: string, error: unknown): unknown {
  if (error instanceof TablewrightError || !(error instanceof Error) || error.name === 'AbortError') return error;
  return explained(where, error, meaningOf(error));
}

function explained(where: string, failure: SdkFailure, { meaning, code, says, next }: Meaning): TablewrightError {
  const tries = failure.$metadata?.attempts ?? 1;
  const isRepeatable = meaning !== 'invalid' && meaning !== 'fatal';
  const what = `${where}: ${says(failure)}`;
  return new TablewrightError(code, tries > 1 ? `${what}, after ${tries} tries` : what, {
    cause: failure,
    next,
    ...(isRepeatable ? { repeatable: { cause: meaning, tries, what } } : {}),
  });
}

/** What an error means for a request of several parts: see `BatchOutcome`. */
export type ErrorClass = Exclude<BatchOutcome, { readonly kind: 'answered' }>;

/** As `storeError`, for those who go on with what can go on. */
export function classifyError(error: unknown, table: string): ErrorClass {
  if (error instanceof TablewrightError) return { kind: 'fatal', error };
  if (!(error instanceof Error)) {
    return { kind: 'fatal', error: new TablewrightError('STORE_FAILED', `${table}: the request failed`, { cause: error }) };
  }
  const found = meaningOf(error);
  if (found.meaning === 'fatal') return { kind: 'fatal', error: explained(table, error, found) };
  if (found.meaning === 'invalid') return { kind: 'invalid', code: error.name, message: error.message };
  return { kind: 'failed', cause: found.meaning, message: found.says(error) };
}
