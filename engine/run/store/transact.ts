import { base64Of } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { Reservation, UseOutcome } from '../../core/capacity/capacity-limiter.ts';
import { transactionUnits } from '../../core/capacity/write-units.ts';
import { briefRetryPolicy } from '../../core/store/retry-policy.ts';
import type { Store, TransactAnswer, TransactRequest } from '../../core/store/store.ts';
import { tableOfEntry } from '../../core/store/transact-entry.ts';
import type { CapacityGate, CapacityGates } from '../capacity/capacity-gate.ts';
import { type EnterOptions, enterGate, type RetryContext, waitBefore } from './wait-before.ts';

/** What a transaction needs beside the store. */
export interface TransactContext extends RetryContext {
  readonly store: Pick<Store, 'transact'>;
  /** The write budgets; without a limit where there is none. */
  readonly writeGates: CapacityGates;
}

export interface TransactOptions {
  readonly signal?: AbortSignal | undefined;
  /** Waits only as long as the last second is full, before everybody else: for what must not come late. */
  readonly urgent?: boolean | undefined;
  /** Told when a try failed that the server may have carried out all the same. */
  readonly onUncertain?: (() => void) | undefined;
  /** Makes each call when its turn has come. */
  readonly inTurn?: (<T>(call: () => Promise<T>) => Promise<T>) | undefined;
  /** The caller's own token, for a transaction that it may send again; one is made when it is left out. */
  readonly token?: string | undefined;
}

/** DynamoDB API reference, CancellationReason: the codes that no repetition can mend. */
const finalReasons: ReadonlySet<string> = new Set([
  'ConditionalCheckFailed',
  'ValidationError',
  'ItemCollectionSizeLimitExceeded',
  'DuplicateItem',
]);

/**
 * Sends a transaction within the budgets of its tables. What met another transaction, was throttled or went without an answer
 * goes again by the retry policy; `requestOf` is asked each time. Not done: DynamoDB refused it, and the reasons say why; a
 * conflict with others is among them only when it outlasted the policy.
 */
export async function transact(
  context: TransactContext,
  requestOf: () => TransactRequest,
  options: TransactOptions = {},
): Promise<TransactAnswer> {
  const repeating = { ...context, retry: context.retry ?? briefRetryPolicy };
  const made = context.requestToken ?? (() => crypto.randomUUID());
  const token = new RequestToken(() => options.token ?? made());
  let uncertain = false;
  const onUncertain = (): void => {
    uncertain = true;
    options.onUncertain?.();
  };
  for (let tries = 0; ; ) {
    const sent = await sendOnce(context, requestOf, token, { ...options, onUncertain });
    const { answer } = sent;
    if (answer?.done || answer?.reasons.some((reason) => finalReasons.has(reason))) return answer;
    // A try without an answer may still be on its way: under its token it counts once, whichever of them comes first.
    if (answer !== undefined && !uncertain) token.renew();
    tries += sent.tries;
    try {
      const [table = ''] = sent.tables;
      await waitBefore(repeating, { table, items: 0, cause: sent.cause, tries, failure: sent.failure }, options.signal);
    } catch (error) {
      // Given up: the reasons say more than that they were met too often.
      if (answer !== undefined && error instanceof TablewrightError) return answer;
      throw error;
    }
  }
}

/**
 * A repetition after a lost answer has to be known as such, or its conditions would meet what the first one did (API reference,
 * ClientRequestToken: holds for ten minutes, for the same contents). Whatever differs is another transaction.
 */
class RequestToken {
  readonly #newToken: () => string;
  #token: string;
  #sent: TransactRequest | undefined;

  constructor(newToken: () => string) {
    this.#newToken = newToken;
    this.#token = newToken();
  }

  on(request: TransactRequest): TransactRequest {
    if (this.#sent !== undefined && contentsOf(this.#sent) !== contentsOf(request)) this.renew();
    this.#sent = request;
    return { ...request, ClientRequestToken: this.#token };
  }

  renew(): void {
    this.#token = this.#newToken();
    this.#sent = undefined;
  }
}

/** Binary values as text: JSON would spell them out byte by byte. */
function contentsOf({ TransactItems }: TransactRequest): string {
  const shown = (_name: string, value: unknown) => (value instanceof Uint8Array ? base64Of(value) : value);
  return JSON.stringify(TransactItems, shown);
}

interface Sent {
  readonly tables: readonly string[];
  readonly answer?: TransactAnswer;
  readonly failure?: TablewrightError;
  readonly cause: 'throttled' | 'server-error' | 'connection' | 'no-answer' | 'unprocessed';
  readonly tries: number;
}

type Entered = readonly { readonly table: string; readonly gate: CapacityGate; readonly reservation: Reservation }[];

async function sendOnce(
  { store, writeGates, stopping }: TransactContext,
  requestOf: () => TransactRequest,
  token: RequestToken,
  { signal, urgent, onUncertain, inTurn = (call) => call() }: TransactOptions,
): Promise<Sent> {
  const units = unitsByTable(requestOf());
  const tables = [...units.keys()];
  const entered = await enterAll(writeGates, units, { urgent, signal, stopping });
  let costOf = (_table: string): UseOutcome => ({ kind: 'unknown' });
  try {
    const answer = await inTurn(() => store.transact(token.on(requestOf()), signal));
    // A refused transaction is paid for, too, but its answer does not say how much.
    if (answer.done) costOf = (table) => ({ kind: 'answered', consumed: answer.units?.[table], refused: 0 });
    return { tables, answer, cause: 'throttled', tries: 1 };
  } catch (error) {
    if (signal?.aborted) onUncertain?.();
    signal?.throwIfAborted();
    if (!(error instanceof TablewrightError) || error.repeatable === undefined) throw error;
    const { cause, tries, unsent, reasons } = error.repeatable;
    if (unsent !== true) onUncertain?.();
    if (cause === 'throttled') costOf = (table) => ({ kind: 'answered', consumed: 0, refused: units.get(table) ?? 0, reasons });
    return { tables, failure: error, cause, tries };
  } finally {
    for (const { table, gate, reservation } of entered) gate.leave(reservation, costOf(table));
  }
}

function unitsByTable({ TransactItems }: TransactRequest): ReadonlyMap<string, number> {
  const units = new Map<string, number>();
  for (const entry of TransactItems) {
    const table = tableOfEntry(entry);
    units.set(table, (units.get(table) ?? 0) + transactionUnits([entry]));
  }
  return units;
}

/** One gate after the other and always in the same order, so that two never hold what the other waits for. */
async function enterAll(gates: CapacityGates, units: ReadonlyMap<string, number>, options: EnterOptions): Promise<Entered> {
  const entered: { readonly table: string; readonly gate: CapacityGate; readonly reservation: Reservation }[] = [];
  try {
    for (const [table, estimate] of [...units].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const gate = gates.of(table);
      entered.push({ table, gate, reservation: await enterGate(gate, estimate, options) });
    }
    return entered;
  } catch (error) {
    for (const { gate, reservation } of entered) gate.leave(reservation, { kind: 'cancelled' });
    throw error;
  }
}
