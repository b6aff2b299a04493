/**
 * Every error a user can cause, with the exit code of a command that ends in it:
 * 1 the work failed, 2 wrong use or bad input, 3 a conflict with another process.
 */
export const errorExitCodes = {
  BAD_ARGUMENT: 2,
  BAD_CATALOGUE: 2,
  BAD_CONFIG: 2,
  BAD_EXPORT: 2,
  BAD_ITEM: 2,
  BAD_MIGRATION: 2,
  BAD_PARAMETER: 2,
  BAD_SEED: 2,
  BAD_CURSOR: 2,
  /** What a rollback needs is not there. */
  JOURNAL_GAP: 1,
  /** A record refers to one that is not there. */
  MISSING_REFERENCE: 2,
  LEDGER_DAMAGED: 1,
  LEDGER_MISMATCH: 2,
  LEDGER_NEWER: 2,
  UNKNOWN_NAME: 2,
  REFUSED_IN_PRODUCTION: 2,
  NOT_CONFIRMED: 2,
  DANGEROUS_CHANGE: 2,
  WRONG_ACCOUNT: 2,
  ENGINE_MISSING: 2,
  ENGINE_FAILED: 1,
  PORT_TAKEN: 3,
  NO_CREDENTIALS: 2,
  CLOCK_SKEW: 1,
  /** An address where something else answers. */
  NOT_DYNAMODB: 2,
  /** A compatible server lacks a call that the toolkit needs. */
  NOT_OFFERED: 2,
  STORE_FAILED: 1,
  /** The table has no capacity left for it at the moment. */
  THROTTLED: 1,
  /** Only a part of the server's answer came. */
  ANSWER_CUT: 1,
  /** A write that may have happened or not. */
  OUTCOME_UNKNOWN: 1,
  /** A token came a second time, with other contents. */
  TOKEN_REUSED: 2,
  FILE_FAILED: 1,
  TABLE_MISSING: 1,
  INDEX_MISSING: 1,
  CHECK_FAILED: 1,
  CONFLICT: 3,
  LOCKED: 3,
  LOCK_LOST: 3,
  MIGRATION_FAILED: 1,
  /** What runs migrations on AWS is not deployed, or is gone. */
  RUNNER_MISSING: 2,
  PREFLIGHT_FAILED: 1,
  TOO_MANY_DEAD_LETTERS: 1,
} as const;

export type ErrorCode = keyof typeof errorExitCodes;

/** Why a request to a store has to go again. */
export type RetryCause =
  /** A part of it was left undone. */
  | 'unprocessed'
  | 'throttled'
  | 'server-error'
  /** No connection, or one that broke. */
  | 'connection'
  /** Connected, and nothing came back in time. */
  | 'no-answer';

/** Why DynamoDB refused a request for want of capacity, in its own words. */
export interface ThrottlingReason {
  /** `IndexWriteKeyRangeThroughputExceeded`; of a part of a request, which has no more than a code, that. */
  readonly reason: string;
  /** The ARN of the table or index; undefined where DynamoDB does not say. */
  readonly resource?: string | undefined;
  /** The text that came with a code. */
  readonly text?: string | undefined;
}

/** A request that failed, but may be sent again as it is; the retry policy decides whether it is. */
export interface Repeatable {
  readonly cause: RetryCause;
  /** How often it was sent already, where the client repeats by itself. */
  readonly tries: number;
  /** The failure without the number of tries. */
  readonly what: string;
  /** It surely did not get to the server, so nothing of it was done. */
  readonly unsent?: true;
  /** Of what was throttled. */
  readonly reasons?: readonly ThrottlingReason[];
}

export interface ErrorDetails {
  /** The next step: a command to run or a thing to change. */
  readonly next?: string;
  /** All problems of one input, each naming the place, what was expected and what was found. */
  readonly problems?: readonly string[];
  readonly cause?: unknown;
  readonly repeatable?: Repeatable;
}

/** The one error class. Told apart by `code`, never by text. */
export class TablewrightError extends Error {
  readonly code: ErrorCode;
  readonly next: string | undefined;
  readonly problems: readonly string[];
  /** Of a failed request to a store; undefined when no repetition can mend it. */
  readonly repeatable: Repeatable | undefined;

  constructor(code: ErrorCode, summary: string, details: ErrorDetails = {}) {
    const problems = details.problems ?? [];
    super([summary, ...problems.map((problem) => `  - ${problem}`)].join('\n'), { cause: details.cause });
    this.name = 'TablewrightError';
    this.code = code;
    this.next = details.next;
    this.problems = problems;
    this.repeatable = details.repeatable;
  }

  get exitCode(): number {
    return errorExitCodes[this.code];
  }
}
