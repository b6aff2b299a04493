import { type ErrorCode, type RetryCause, TablewrightError, type ThrottlingReason } from '../../../tables/model/error.ts';
import { needOf } from '../../core/store/features.ts';
import { shownReasons } from '../../core/store/throttling.ts';
import type { BatchOutcome } from '../../core/write/batch-outcome.ts';
import { throttlingReasons } from './throttling-reasons.ts';

/** An error as the SDK and Node make it. What can be written to is noted by the clients of `clients.ts`. */
export interface SdkFailure extends Error {
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number; readonly clockSkewCorrected?: boolean };
  server?: string;
  operation?: string;
  waitedMs?: number;
  /** No try of this request can have been carried out: none got to the server, or it refused. */
  unsent?: boolean;
  /** The answer's body ended before its time. */
  cut?: boolean;
  /** What the server sent where that was no answer of DynamoDB. */
  sent?: string;
  /** By how much this machine's clock is ahead of the server's. */
  clockAheadMs?: number;
}

/** What an error means. The first line of the table that fits counts. */
interface Meaning {
  /** Names of SDK errors, codes of Node's network errors. */
  readonly is: readonly string[];
  readonly status?: (status: number) => boolean;
  readonly test?: (failure: SdkFailure) => boolean;
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

const badCredentials: readonly string[] = [
  'CredentialsProviderError',
  'ExpiredTokenException',
  'IncompleteSignatureException',
  'InvalidSignatureException',
  'MissingAuthenticationTokenException',
  'UnrecognizedClientException',
];

/** What a server says of a request that is signed with the wrong time. The SDK calls any failure corrected while clocks differ. */
const clockNames: readonly string[] = [...badCredentials, 'RequestTimeTooSkewed', 'RequestExpired', 'RequestInTheFuture'];

/** AWS takes signatures that are at most this old (IAM User Guide, "Troubleshoot Signature Version 4"). */
const maxClockSkewMs = 5 * 60_000;

function clock({ clockAheadMs = 0 }: SdkFailure): string {
  const minutes = Math.round(Math.abs(clockAheadMs) / 60_000);
  const off = `${minutes} min ${clockAheadMs > 0 ? 'ahead of' : 'behind'} the server's`;
  return `this machine's clock is ${minutes === 0 ? 'not the server’s' : off}, so the server does not take its signatures`;
}

const setClock = 'Set the clock of this machine (date and time zone), then run the command again.';

/** Node's parser did not find HTTP, or TLS did not find TLS. */
const notHttp = /^(HPE_|EPROTO$|ERR_SSL_|ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** The begin of some JSON. */
const isHalf = (sent: string): boolean => /^HTTP 200, [^:]*json/.test(sent);

function foreign({ server = 'this address', sent, code = '' }: SdkFailure): string {
  const secure = server.startsWith('https:');
  const trouble = /^(EPROTO|ERR_SSL_)/.test(code) ? `no TLS (${code})` : `a certificate that is not trusted (${code})`;
  return `${server} did not answer like DynamoDB: expected JSON over ${secure ? 'HTTPS' : 'HTTP'}, found ${sent ?? trouble}`;
}

const checkAddress = 'Check the address: its protocol (http or https), host and port. AWS_ENDPOINT_URL can name one, too.';

const checkNetwork = 'Check --endpoint and the network, then run the command again.';

/**
 * DynamoDB Developer Guide, "Error handling: error messages and codes", and Node's network errors.
 *
 * A name that does not resolve (ENOTFOUND) is taken for a network that is down, as EAI_AGAIN is: resolvers answer so while a
 * machine is off the net, and that must not end a run of hours. A misspelt name only costs the few seconds of the retries.
 */
const meanings: readonly Meaning[] = [
  {
    // The SDK has set its clock by the answer: the same request passes the next time.
    is: [],
    test: ({ name, $metadata }) => $metadata?.clockSkewCorrected === true && clockNames.includes(name),
    meaning: 'server-error',
    code: 'CLOCK_SKEW',
    says: clock,
    next: setClock,
  },
  {
    is: ['RequestTimeTooSkewed'],
    test: (failure) => badCredentials.includes(failure.name) && Math.abs(failure.clockAheadMs ?? 0) > maxClockSkewMs,
    meaning: 'fatal',
    code: 'CLOCK_SKEW',
    says: clock,
    next: setClock,
  },
  {
    is: [],
    test: ({ cut, sent }) => cut === true || isHalf(sent ?? ''),
    meaning: 'server-error',
    code: 'ANSWER_CUT',
    says: (failure) => (failure.sent === undefined ? `the answer of ${serverOf(failure)} broke off` : foreign(failure)),
    next: checkNetwork,
  },
  {
    // A page of something in between: it may be gone the next time.
    is: [],
    test: ({ sent, $metadata }) => sent !== undefined && ($metadata?.httpStatusCode ?? 0) >= 500,
    meaning: 'server-error',
    code: 'STORE_FAILED',
    says: foreign,
    next: checkAddress,
  },
  {
    is: [],
    test: ({ sent, code }) => sent !== undefined || notHttp.test(code ?? ''),
    meaning: 'fatal',
    code: 'NOT_DYNAMODB',
    says: foreign,
    next: checkAddress,
  },
  {
    is: [
      'ProvisionedThroughputExceededException',
      'RequestLimitExceeded',
      'ThrottlingException',
      'Throttling',
      'TooManyRequestsException',
    ],
    meaning: 'throttled',
    code: 'THROTTLED',
    says: (failure) => shownReasons(throttlingReasons(failure)) ?? named(failure),
    next: 'The table is short of capacity: raise it, or work with a smaller budget, then run the command again.',
  },
  {
    // The first try is still at work on it; its answer comes with the same token again (API reference, TransactionInProgressException).
    is: ['TransactionInProgressException'],
    meaning: 'server-error',
    code: 'STORE_FAILED',
    says: () => 'the transaction is still in progress',
    next: 'Run the command again; the transaction ends by itself.',
  },
  {
    is: ['IdempotentParameterMismatchException'],
    meaning: 'fatal',
    code: 'TOKEN_REUSED',
    says: () => 'its token was sent before with other contents; within ten minutes a token stands for one transaction',
    next: 'Read the records: the first transaction with this token was carried out. For another one take another token.',
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
    is: badCredentials,
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
    is: ['UnknownOperationException', 'NotImplemented', 'NotImplementedException'],
    status: (status) => status === 501,
    meaning: 'fatal',
    code: 'NOT_OFFERED',
    says: (failure) => `${serverOf(failure)} does not offer ${failure.operation ?? 'this call'}${since(failure)}`,
    next: 'Use a server that has it; AWS and the engines on this machine have what the toolkit needs.',
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

function since({ operation = '' }: SdkFailure): string {
  const need = needOf(operation);
  return need === undefined ? '' : `; ${need.since} has it`;
}

function waited({ waitedMs }: SdkFailure): string {
  return waitedMs === undefined ? '' : ` within ${(waitedMs / 1_000).toFixed(0)} s`;
}

function meaningOf(failure: SdkFailure): Meaning {
  const { name, code, $metadata } = failure;
  const httpStatus = $metadata?.httpStatusCode ?? 0;
  const fits = ({ is, status, test }: Meaning): boolean =>
    is.includes(name) || (code !== undefined && is.includes(code)) || status?.(httpStatus) === true || test?.(failure) === true;
  return meanings.find(fits) ?? unknown;
}

/** The server does not know the call at all; a refusal says nothing of the kind. */
export function isUnknownOperation(error: unknown): boolean {
  return error instanceof Error && meaningOf(error).code === 'NOT_OFFERED';
}

/** What a failed call means to the person who made it. Aborts and our own errors pass as they are. */
export function storeError(where: string | undefined, error: unknown): unknown {
  if (error instanceof TablewrightError || !(error instanceof Error) || error.name === 'AbortError') return error;
  return explained(where, error, meaningOf(error));
}

function explained(where: string | undefined, failure: SdkFailure, { meaning, code, says, next }: Meaning): TablewrightError {
  const tries = failure.$metadata?.attempts ?? 1;
  const isRepeatable = meaning !== 'invalid' && meaning !== 'fatal';
  const what = where === undefined ? says(failure) : `${where}: ${says(failure)}`;
  const unsent = failure.unsent === true ? ({ unsent: true } as const) : {};
  return new TablewrightError(code, tries > 1 ? `${what}, after ${tries} tries` : what, {
    cause: failure,
    next,
    ...(isRepeatable ? { repeatable: { cause: meaning, tries, what, ...unsent, ...reasonsOf(failure) } } : {}),
  });
}

/** Nothing where nothing was throttled, or nobody says why. */
function reasonsOf(failure: SdkFailure): { readonly reasons?: readonly ThrottlingReason[] } {
  const reasons = throttlingReasons(failure);
  return reasons.length === 0 ? {} : { reasons };
}

/** What an error means for a request of several parts: see `BatchOutcome`. */
export type ErrorClass = Exclude<BatchOutcome, { readonly kind: 'answered' }>;

/** As `storeError`, for those who go on with what can go on. */
export function classifyError(error: unknown, table: string): ErrorClass {
  if (error instanceof TablewrightError) return { kind: 'fatal', error };
  if (!(error instanceof Error)) {
    return { kind: 'fatal', error: new TablewrightError('STORE_FAILED', `${table}: the request failed`, { cause: error }) };
  }
  // The command is being stopped: what became of the request is not known.
  if (error.name === 'AbortError') return { kind: 'failed', cause: 'connection', message: 'stopped before the answer came' };
  const found = meaningOf(error);
  if (found.meaning === 'fatal') return { kind: 'fatal', error: explained(table, error, found) };
  if (found.meaning === 'invalid') return { kind: 'invalid', code: error.name, message: error.message };
  return { kind: 'failed', cause: found.meaning, message: found.says(error), ...reasonsOf(error) };
}

/** A refusal of the server, not a failure on the way. */
export function isAnswer(error: unknown): boolean {
  const { $metadata, sent } = error as SdkFailure;
  const status = $metadata?.httpStatusCode ?? 0;
  return status >= 400 && status < 500 && sent === undefined;
}
