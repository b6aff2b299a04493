import type { Item } from '../../../tables/model/attribute-value.ts';
import {
  badParams,
  checkParams,
  type Operation,
  type OperationInput,
  type OperationRead,
} from '../../../tables/model/operation.ts';
import type { PatternParams } from '../../../tables/model/pattern.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { contentionPolicy, decideRetry } from '../../core/store/retry-policy.ts';
import { checkCallOptions, checkObject, maxTokenLength } from '../../core/write/check-call.ts';
import { readAll } from '../read/read-pattern.ts';
import { getOne } from '../store/read-keys.ts';
import { type CarryOptions, carryOut, conflict, type WriteEnvironment } from './carry-out.ts';

/**
 * `applied`: all of it happened; no transaction when everything was as wanted. `refused`: a guard did not hold, and of that
 * transaction nothing happened.
 */
export type Outcome =
  | { readonly outcome: 'applied'; readonly transactions: number; readonly refusals: readonly string[] }
  | { readonly outcome: 'refused'; readonly reason: string };

export type RunOptions = CarryOptions;

/**
 * Reads what the operation must know, lets it decide, and carries its transactions out. An operation of several
 * transactions goes on past a refused one, whose guard says that its part is settled already, and reports it. What is refused
 * because it has changed since it was read is read and decided anew.
 */
export async function runOperation<Params extends PatternParams>(
  environment: WriteEnvironment,
  operation: Operation<Params>,
  input: OperationInput<Params>,
  options: RunOptions = {},
): Promise<Outcome> {
  checkObject('run', 'an operation of the catalogue', operation);
  checkCallOptions(operation.name, options);
  const params = checkParams(operation, input);
  const { again } = operation;
  let before: Applied | undefined;
  for (let tries = 1; ; tries += 1) {
    const token = before === undefined ? options.token : tokenOf(environment, options.token, -tries);
    const outcome = joined(before, await runOnce(environment, operation, params, { ...options, token }), again);
    if (!refusalsOf(outcome).some((reason) => again.includes(reason))) return outcome;
    if (outcome.outcome === 'applied') before = outcome;
    const decision = decideRetry(tries, 'unprocessed', contentionPolicy, environment.random());
    if (decision.kind === 'give-up') throw conflict(operation.name, tries);
    await environment.sleep(decision.delayMs, options.signal);
  }
}

type Applied = Extract<Outcome, { readonly outcome: 'applied' }>;

function refusalsOf(outcome: Outcome): readonly string[] {
  return outcome.outcome === 'applied' ? outcome.refusals : [outcome.reason];
}

/** Of what was decided anew only what has to be once more counts as refused: the rest is what was done, or refused, before. */
function joined(before: Applied | undefined, outcome: Outcome, again: readonly string[]): Outcome {
  if (before === undefined) return outcome;
  const isOpen = (reason: string): boolean => again.includes(reason);
  return {
    outcome: 'applied',
    transactions: before.transactions + (outcome.outcome === 'applied' ? outcome.transactions : 0),
    refusals: [...before.refusals.filter((reason) => !isOpen(reason)), ...refusalsOf(outcome).filter(isOpen)],
  };
}

async function runOnce<Params extends PatternParams>(
  environment: WriteEnvironment,
  operation: Operation<Params>,
  params: ReturnType<typeof checkParams<Params>>,
  options: RunOptions,
): Promise<Outcome> {
  const { signal } = options;
  const found: (readonly Item[])[] = [];
  for (const call of operation.reads(params)) found.push(await readCall(environment, call, signal));
  const decision = operation.decide(params, found);
  if ('refusal' in decision) return { outcome: 'refused', reason: decision.refusal };
  if ('problems' in decision) throw badParams(operation as unknown as Operation, decision.problems);
  const refusals: string[] = [];
  for (const [at, transaction] of decision.transactions.entries()) {
    signal?.throwIfAborted();
    const token = tokenOf(environment, options.token, at);
    const refusal = await carryOut(environment, operation.name, transaction, { ...options, token });
    if (refusal !== undefined) refusals.push(refusal.reason);
  }
  const [only] = refusals;
  if (only !== undefined && decision.transactions.length === 1) return { outcome: 'refused', reason: only };
  return { outcome: 'applied', transactions: decision.transactions.length - refusals.length, refusals };
}

/** Consistent, so that what is decided is about what there is; an index can only be read as it was a moment ago. */
async function readCall(
  environment: WriteEnvironment,
  call: OperationRead,
  signal: AbortSignal | undefined,
): Promise<readonly Item[]> {
  if ('pattern' in call) {
    const consistent = call.pattern.index === undefined;
    return (await readAll(environment, call.pattern, call.params, { signal, consistent })).items;
  }
  const request = { TableName: physicalName(call.table, environment.names), Key: call.key, ConsistentRead: true };
  const { item } = await getOne(environment, request, signal);
  return item === undefined ? [] : [item];
}

/** Every transaction of an operation has its own; the first one the caller's as it is. */
export function tokenOf({ digest }: WriteEnvironment, token: string | undefined, at: number): string | undefined {
  return token === undefined || at === 0 ? token : digest(`${token} ${at}`).slice(0, maxTokenLength);
}
