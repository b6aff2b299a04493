import { TablewrightError } from '../../../tables/model/error.ts';
import { checkParams, type Operation, type OperationInput, type Transaction } from '../../../tables/model/operation.ts';
import type { PatternParams } from '../../../tables/model/pattern.ts';
import { briefRetryPolicy } from '../../core/store/retry-policy.ts';
import type { TransactAnswer, TransactRequest } from '../../core/store/store.ts';
import { planTransaction } from '../../core/write/plan-write.ts';
import { type ReadEnvironment, readAll } from '../read/read-pattern.ts';
import { transact } from '../store/transact.ts';

/** `applied`: all of it happened. `refused`: a guard did not hold, and of that transaction nothing happened. */
export type Outcome =
  | { readonly outcome: 'applied'; readonly transactions: number; readonly refusals: readonly string[] }
  | { readonly outcome: 'refused'; readonly reason: string };

/**
 * Reads what the operation must know, lets it decide, and carries its transactions out. An operation of several
 * transactions goes on past a refused one, whose guard says that its part is settled already, and reports it.
 */
export async function runOperation<Params extends PatternParams>(
  environment: ReadEnvironment,
  operation: Operation<Params>,
  input: OperationInput<Params>,
  signal?: AbortSignal,
): Promise<Outcome> {
  const params = checkParams(operation, input);
  const found = [];
  for (const call of operation.reads(params))
    found.push((await readAll(environment, call.pattern, call.params, { signal })).items);
  const decision = operation.decide(params, found);
  if ('refusal' in decision) return { outcome: 'refused', reason: decision.refusal };
  const refusals: string[] = [];
  for (const transaction of decision.transactions) {
    signal?.throwIfAborted();
    const refusal = await carryOut(environment, operation.name, transaction, signal);
    if (refusal !== undefined) refusals.push(refusal);
  }
  const [only] = refusals;
  if (only !== undefined && decision.transactions.length === 1) return { outcome: 'refused', reason: only };
  return { outcome: 'applied', transactions: decision.transactions.length - refusals.length, refusals };
}

/** Undefined when written; else which guard refused. Conflicts with other transactions are waited out. */
async function carryOut(
  environment: ReadEnvironment,
  name: string,
  transaction: Transaction,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const request = planTransaction(transaction, environment.names);
  const answer = await transactOrSay(environment, name, request, signal);
  if (answer.done) return undefined;
  const failed = answer.reasons.indexOf('ConditionalCheckFailed');
  if (failed !== -1) return transaction.writes[failed]?.refusal ?? 'condition-failed';
  const fatal = answer.reasons.find((reason) => reason === 'ValidationError' || reason === 'ItemCollectionSizeLimitExceeded');
  if (fatal !== undefined)
    throw new TablewrightError('STORE_FAILED', `${name}: DynamoDB refused the transaction: ${fatal}`, {
      next: 'Nothing was written; check the values.',
    });
  throw new TablewrightError(
    'CONFLICT',
    `${name}: other transactions kept changing the same records, ${briefRetryPolicy.maxAttempts} tries`,
    {
      next: 'Nothing was written; run it again.',
    },
  );
}

/** Others that change the same records are waited out, also where the client repeats by itself what failed on the way. */
async function transactOrSay(
  environment: ReadEnvironment,
  name: string,
  request: TransactRequest,
  signal: AbortSignal | undefined,
): Promise<TransactAnswer> {
  let uncertain = false;
  const onUncertain = (): void => {
    uncertain = true;
  };
  try {
    return await transact({ ...environment, retry: briefRetryPolicy }, () => request, { signal, onUncertain });
  } catch (error) {
    if (!uncertain || !(error instanceof TablewrightError)) throw error;
    throw new TablewrightError('OUTCOME_UNKNOWN', `${name}: it may have happened or not: ${error.message}`, {
      cause: error,
      next: 'Read the records to see. Doing it again is safe: its conditions refuse what has happened already.',
    });
  }
}
