import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Reservation } from '../../core/capacity/capacity-limiter.ts';
import type { Gates } from '../../core/capacity/gate.ts';
import { type RequestShare, requestShares } from '../../core/capacity/request-units.ts';
import { decideRetry, type RetryPolicy } from '../../core/store/retry-policy.ts';
import { classifyError } from '../store/store-error.ts';

export interface GateOptions {
  readonly gates: { readonly read: Gates; readonly write: Gates };
  readonly retry: RetryPolicy;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Waited for before each try: the run may have to hold still. */
  readonly hold?: (() => Promise<void>) | undefined;
}

interface Consumed {
  readonly TableName?: string;
  readonly CapacityUnits?: number;
}

/**
 * From now on every request of the client waits for the budgets of its tables, tells them what it cost, and is repeated by
 * the one policy. The client has to be made with `maxAttempts: 1`. What no repetition mends is thrown as the SDK's own
 * error, so that code which handles, say, ConditionalCheckFailedException works as with any client.
 */
export function gateRequests(client: DynamoDBClient, options: GateOptions): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const operation = String(context.commandName).replace(/Command$/, '');
      const shares = requestShares({ operation, input: args.input as Readonly<Record<string, unknown>> });
      if (shares.length === 0) return next(args);
      const input = { ReturnConsumedCapacity: 'TOTAL', ...args.input };
      return repeated(options, shares, () => next({ ...args, input }));
    },
    { step: 'initialize', name: 'withinBudget' },
  );
}

/** Sends until it is answered or the policy gives up; each try waits for the budgets anew. */
async function repeated<T extends { readonly output: object }>(
  options: GateOptions,
  shares: readonly RequestShare[],
  send: () => Promise<T>,
): Promise<T> {
  const { retry, random, sleep, signal } = options;
  for (let attempt = 1; ; attempt += 1) {
    await options.hold?.();
    signal.throwIfAborted();
    const entered = await enterAll(options, shares);
    try {
      const answer = await send();
      leaveAll(options, entered, (share) => ({ kind: 'answered', consumed: consumedOf(answer.output, share.table), refused: 0 }));
      return answer;
    } catch (error) {
      const found = classifyError(error, shares[0]?.table ?? '');
      leaveAll(options, entered, ({ units }) =>
        found.kind === 'failed' && found.cause === 'throttled'
          ? { kind: 'answered', consumed: 0, refused: units, reasons: found.reasons }
          : { kind: 'unknown' },
      );
      if (found.kind !== 'failed') throw error;
      const decision = decideRetry(attempt, found.cause, retry, random());
      if (decision.kind === 'give-up') throw error;
      await sleep(decision.delayMs, signal);
    }
  }
}

type Entered = readonly { readonly share: RequestShare; readonly reservation: Reservation }[];

/** One after the other and always in the same order, so that two requests never hold what the other waits for. */
async function enterAll({ gates, signal }: GateOptions, shares: readonly RequestShare[]): Promise<Entered> {
  const entered: { readonly share: RequestShare; readonly reservation: Reservation }[] = [];
  for (const share of shares.toSorted((a, b) => (`${a.kind} ${a.table}` < `${b.kind} ${b.table}` ? -1 : 1))) {
    const reservation = await gates[share.kind].of(share.table).enter(share.units, signal);
    if (reservation === undefined) {
      for (const { share: held, reservation: own } of entered) gates[held.kind].of(held.table).leave(own, { kind: 'cancelled' });
      signal.throwIfAborted();
      throw new Error('the wait for the budget ended without a reason');
    }
    entered.push({ share, reservation });
  }
  return entered;
}

function leaveAll(
  { gates }: GateOptions,
  entered: Entered,
  outcomeOf: (share: RequestShare) => Parameters<ReturnType<Gates['of']>['leave']>[1],
): void {
  for (const { share, reservation } of entered) gates[share.kind].of(share.table).leave(reservation, outcomeOf(share));
}

/** Undefined where the server does not say; then the estimate stands in. */
function consumedOf(output: object, table: string): number | undefined {
  const consumed = (output as { readonly ConsumedCapacity?: Consumed | readonly Consumed[] }).ConsumedCapacity;
  const entries = consumed === undefined ? [] : Array.isArray(consumed) ? consumed : [consumed];
  const own = entries.filter(({ TableName }) => TableName === undefined || TableName === table);
  return own.length === 0 ? undefined : own.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}
