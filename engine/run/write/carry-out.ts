import { keyIdentity } from '../../../tables/model/canonical.ts';
import { present } from '../../../tables/model/condition.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { maxTransactionWrites, type Transaction, type Write } from '../../../tables/model/operation.ts';
import { type Referent, referentsOf } from '../../../tables/model/reference.ts';
import { briefRetryPolicy } from '../../core/store/retry-policy.ts';
import type { TransactAnswer, TransactRequest } from '../../core/store/store.ts';
import { planTransaction } from '../../core/write/plan-write.ts';
import type { ReadEnvironment } from '../read/read-pattern.ts';
import { transact } from '../store/transact.ts';
import { KnownReferents } from './known-referents.ts';

/** What writing for applications needs from outside. */
export interface WriteEnvironment extends ReadEnvironment {
  /** What is known of records that others refer to; looked up each time when left out. */
  readonly referents?: KnownReferents | undefined;
}

export interface CarryOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Makes a transaction that is sent again with the same contents within ten minutes count once; at most 36 characters
   * (API reference, TransactWriteItems, ClientRequestToken).
   */
  readonly token?: string | undefined;
  /**
   * How it is made sure that what a new record refers to is there. `read` (the usual): by a consistent read before, remembered
   * for a moment. `transaction`: by a check within the transaction, so that it cannot go meanwhile; transactions that check the same
   * record at the same time conflict and are repeated.
   */
  readonly references?: 'read' | 'transaction' | undefined;
}

/** Undefined when written; else which guard refused, and where. */
export type Refusal = { readonly reason: string; readonly at: number };

/** Carries a transaction out. Conflicts with others are waited out; what no repetition can mend is thrown. */
export async function carryOut(
  environment: WriteEnvironment,
  name: string,
  { writes }: Transaction,
  options: CarryOptions,
): Promise<Refusal | undefined> {
  const checks = await referenceChecks(environment, name, writes, options);
  const whole: Transaction = { writes: [...writes, ...checks.map(({ check }) => check)] };
  if (whole.writes.length > maxTransactionWrites) throw tooMany(name, whole.writes.length);
  const request = planTransaction(whole, environment.names);
  const answer = await transactOrSay(environment, name, request, options);
  if (answer.done) return undefined;
  const failed = answer.reasons.indexOf('ConditionalCheckFailed');
  if (failed !== -1 && failed < writes.length) {
    return { reason: writes[failed]?.refusal ?? 'condition-failed', at: failed };
  }
  const missing = checks.filter((_, at) => answer.reasons[writes.length + at] === 'ConditionalCheckFailed');
  if (missing.length > 0)
    throw missingReference(
      name,
      missing.map(({ referent }) => referent.missing),
    );
  throw refused(name, answer.reasons);
}

interface ReferenceCheck {
  readonly referent: Referent;
  readonly check: Write;
}

/** Nothing to check within the transaction when a read has shown that all are there. */
async function referenceChecks(
  environment: WriteEnvironment,
  name: string,
  writes: readonly Write[],
  { references = 'read', signal }: CarryOptions,
): Promise<readonly ReferenceCheck[]> {
  const { referents, removed } = referentsOutside(environment, writes);
  if (removed.length > 0)
    throw missingReference(
      name,
      removed.map(({ missing }) => missing),
    );
  if (references === 'transaction') {
    return referents.map((referent) => {
      const { table, key } = referent;
      return { referent, check: { kind: 'check', table, key, condition: present(table.key.hash.name) } };
    });
  }
  const { referents: known = new KnownReferents({ environment, steadyMs: () => 0 }) } = environment;
  const missing = await known.missing(referents, signal);
  if (missing.length > 0) throw missingReference(name, missing);
  return [];
}

interface Referents {
  readonly referents: readonly Referent[];
  /** Those that the transaction itself takes away. */
  readonly removed: readonly Referent[];
}

/** What the new records refer to, each once, but for what the transaction itself writes. */
function referentsOutside({ tables }: WriteEnvironment, writes: readonly Write[]): Referents {
  const idOf = (table: Write['table'], item: Referent['key']) => `${table.name} ${keyIdentity(table.key, item)}`;
  const kinds = new Map(writes.map((write) => [idOf(write.table, 'item' in write ? write.item : write.key), write.kind]));
  const all = writes.flatMap((write) =>
    'refers' in write && write.refers !== undefined
      ? referentsOf(tables, write.refers.entity, write.refers.item, write.refers.by)
      : [],
  );
  const once = [...new Map(all.map((referent) => [idOf(referent.table, referent.key), referent]))];
  return {
    referents: once.filter(([id]) => !kinds.has(id)).map(([, referent]) => referent),
    removed: once.filter(([id]) => kinds.get(id) === 'delete').map(([, referent]) => referent),
  };
}

function missingReference(name: string, problems: readonly string[]): TablewrightError {
  return new TablewrightError('MISSING_REFERENCE', `${name}: it refers to what is not there; nothing was written`, {
    problems,
    next: 'Write what it refers to first, or correct the value.',
  });
}

function tooMany(name: string, count: number): TablewrightError {
  return new TablewrightError('BAD_ARGUMENT', `${name}: ${count} actions, one transaction has at most ${maxTransactionWrites}`, {
    next: 'Write it in several transactions.',
  });
}

function refused(name: string, reasons: readonly string[]): TablewrightError {
  const fatal = reasons.find((reason) => reason === 'ValidationError' || reason === 'ItemCollectionSizeLimitExceeded');
  if (fatal !== undefined) {
    return new TablewrightError('STORE_FAILED', `${name}: DynamoDB refused the transaction: ${fatal}`, {
      next: 'Nothing was written; check the values.',
    });
  }
  return conflict(name, briefRetryPolicy.maxAttempts);
}

/** Others were faster, again and again. */
export function conflict(name: string, tries: number): TablewrightError {
  return new TablewrightError('CONFLICT', `${name}: others kept changing the same records, ${tries} tries`, {
    next: 'Nothing of what they kept changing was written; run it again.',
  });
}

/** Others that change the same records are waited out, also where the client repeats by itself what failed on the way. */
async function transactOrSay(
  environment: ReadEnvironment,
  name: string,
  request: TransactRequest,
  { signal, token }: CarryOptions,
): Promise<TransactAnswer> {
  let uncertain = false;
  const onUncertain = (): void => {
    uncertain = true;
  };
  try {
    return await transact({ ...environment, retry: briefRetryPolicy }, () => request, { signal, token, onUncertain });
  } catch (error) {
    if (!uncertain || (error instanceof TablewrightError && error.code === 'TOKEN_REUSED')) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new TablewrightError('OUTCOME_UNKNOWN', `${name}: it may have happened or not: ${why}`, {
      cause: error,
      next:
        token === undefined
          ? 'Read the records to see. Doing it again is safe: its conditions refuse what has happened already.'
          : 'Send it again with the same token within ten minutes: it then happens once.',
    });
  }
}
