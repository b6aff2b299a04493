import type { Item } from '../../../tables/model/attribute-value.ts';
import { type Repeatable, TablewrightError } from '../../../tables/model/error.ts';
import type { UseOutcome } from '../../core/capacity/capacity-limiter.ts';
import { fullPageUnits, type ItemCosts } from '../../core/capacity/item-costs.ts';
import type { PageAnswer, PageStore, QueryRequest, ScanRequest, Store } from '../../core/store/store.ts';
import type { CapacityGate, CapacityGates } from '../capacity/capacity-gate.ts';
import { enterGate, type RetryContext, waitBefore } from './wait-before.ts';

export type ScanContext<T = Item> = ReadContext & { readonly store: PageStore<T> };
export type QueryContext = ReadContext & { readonly store: Pick<Store, 'query'> };

export interface AllItems {
  readonly items: readonly Item[];
  readonly units: number;
  readonly pages: number;
}

/** One page of a scan. With a budget it may be shorter than asked for; without `next` it was the last. */
export function scanPage<T = Item>(context: ScanContext<T>, request: ScanRequest, signal?: AbortSignal): Promise<PageAnswer<T>> {
  return sendPage(context, request, (sized, stop) => context.store.scan(sized, stop), signal);
}

/** One page of a query; see `scanPage`. */
export function queryPage(context: QueryContext, request: QueryRequest, signal?: AbortSignal): Promise<PageAnswer> {
  return sendPage(context, request, (sized, stop) => context.store.query(sized, stop), signal);
}

/** Every page of a scan, or of its segment. */
export async function* scanPages<T = Item>(
  context: ScanContext<T>,
  request: ScanRequest,
  signal?: AbortSignal,
): AsyncGenerator<PageAnswer<T>> {
  yield* followed(request, (from) => scanPage(context, from, signal));
}

/** Every page of a query. */
export async function* queryPages(
  context: QueryContext,
  request: QueryRequest,
  signal?: AbortSignal,
): AsyncGenerator<PageAnswer> {
  yield* followed(request, (from) => queryPage(context, from, signal));
}

/** All that a query gives, at once. */
export async function queryAll(context: QueryContext, request: QueryRequest, signal?: AbortSignal): Promise<AllItems> {
  const items: Item[] = [];
  let units = 0;
  let pages = 0;
  for await (const page of queryPages(context, request, signal)) {
    for (const item of page.items) items.push(item);
    units += page.units;
    pages += 1;
  }
  return { items, units, pages };
}

async function* followed<R extends { readonly ExclusiveStartKey?: Item }, T>(
  request: R,
  read: (request: R) => Promise<PageAnswer<T>>,
): AsyncGenerator<PageAnswer<T>> {
  for (let from = request; ; ) {
    const page = await read(from);
    yield page;
    if (page.next === undefined) return;
    from = { ...request, ExclusiveStartKey: page.next };
  }
}

type PageRequest = Pick<ScanRequest, 'TableName' | 'IndexName' | 'Limit' | 'ConsistentRead'>;

function sendPage<R extends PageRequest, T>(
  context: ReadContext,
  request: R,
  send: (request: R, signal?: AbortSignal) => Promise<PageAnswer<T>>,
  signal: AbortSignal | undefined,
): Promise<PageAnswer<T>> {
  return sendRead<PageAnswer<T>>(
    context,
    request.TableName,
    (gate) => {
      const costs = gate.costs.of(request.IndexName ?? '');
      const { limit, estimate } = sizePage(costs, request, gate.maxPageUnits);
      const sized = limit === undefined ? request : { ...request, Limit: limit };
      const surprise = costs.surprise * costFactor(request);
      return { estimate, surprise, send: (stop) => send(sized, stop), learn: (page) => learn(costs, request, page) };
    },
    signal,
  );
}

/** Eventually consistent reads cost half (Developer Guide, "Read capacity units"); costs are kept in their units. */
export function costFactor({ ConsistentRead }: Pick<ScanRequest, 'ConsistentRead'>): number {
  return ConsistentRead === true ? 2 : 1;
}

/**
 * A page stays small against a second's budget, or the budget would be kept on average only. Where a full page is small, or
 * nothing limits it, no Limit is set: full pages take the fewest requests, and on the embedded engine by far the least time.
 */
function sizePage(costs: ItemCosts, request: PageRequest, maxUnits: number): { limit?: number; estimate: number } {
  const factor = costFactor(request);
  const { Limit: wanted = Number.POSITIVE_INFINITY } = request;
  const most = maxUnits >= fullPageUnits * factor ? Number.POSITIVE_INFINITY : costs.itemsWithin(maxUnits / factor);
  const limit = Math.min(wanted, most);
  if (limit === Number.POSITIVE_INFINITY) return { estimate: fullPageUnits * factor };
  return { limit, estimate: Math.min(fullPageUnits, costs.unitsOf(limit)) * factor };
}

function learn<T>(costs: ItemCosts, request: PageRequest, { items, scanned, units }: PageAnswer<T>): void {
  costs.learn(scanned ?? items.length, units / costFactor(request));
}

/** What reading a table needs beside the store. */
export interface ReadContext extends RetryContext {
  /** The read budgets; without a limit where there is none. */
  readonly gates: CapacityGates;
}

/** One request, as large as the budget allows at this moment. */
export interface Attempt<A> {
  /** Expected units. */
  readonly estimate: number;
  /** Units by which it may well cost more. */
  readonly surprise: number;
  readonly send: (signal?: AbortSignal) => Promise<A>;
  /** Told of every answer, before the next request of the table is sized. */
  readonly learn: (answer: A) => void;
  /** Units of the answer that were refused for want of capacity. */
  readonly refused?: (answer: A) => number;
}

/**
 * Sends a read through its table's gate, and again by the one retry policy while its failure allows it. An abort ends every
 * wait at once; the signal's reason is thrown then.
 */
export async function sendRead<A extends { readonly units: number }>(
  context: ReadContext,
  table: string,
  prepare: (gate: CapacityGate) => Attempt<A>,
  signal?: AbortSignal,
): Promise<A> {
  const gate = context.gates.of(table);
  for (let tries = 0; ; ) {
    const outcome = await sendOnce(gate, prepare(gate), signal, context.stopping);
    if (outcome.kind === 'answer') return outcome.answer;
    tries += outcome.repeatable.tries;
    await waitBefore(context, { table, items: 0, cause: outcome.repeatable.cause, tries, failure: outcome.error }, signal);
  }
}

type Sent<A> =
  | { readonly kind: 'answer'; readonly answer: A }
  | { readonly kind: 'failed'; readonly repeatable: Repeatable; readonly error: TablewrightError };

async function sendOnce<A extends { readonly units: number }>(
  gate: CapacityGate,
  { estimate, surprise, send, learn, refused }: Attempt<A>,
  signal: AbortSignal | undefined,
  stopping: AbortSignal | undefined,
): Promise<Sent<A>> {
  const reservation = await enterGate(gate, estimate, { signal, stopping, surprise });
  let cost: UseOutcome = { kind: 'unknown' };
  try {
    const answer = await unlessAborted(send, signal);
    // A server that does not say what it consumed is counted by the estimate.
    const consumed = answer.units > 0 ? answer.units : undefined;
    cost = { kind: 'answered', consumed, refused: Math.min(estimate, refused?.(answer) ?? 0) };
    learn(answer);
    return { kind: 'answer', answer };
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof TablewrightError) || error.repeatable === undefined) throw error;
    const { cause, reasons } = error.repeatable;
    if (cause === 'throttled') cost = { kind: 'answered', consumed: 0, refused: estimate, reasons };
    return { kind: 'failed', repeatable: error.repeatable, error };
  } finally {
    gate.leave(reservation, cost);
  }
}

/**
 * A read that nobody waits for any longer may end as it likes. The client gets a signal of its own, so that a caller's has one
 * listener a request: Node warns of more than ten.
 */
function unlessAborted<A>(send: (signal?: AbortSignal) => Promise<A>, signal: AbortSignal | undefined): Promise<A> {
  if (signal === undefined) return send();
  signal.throwIfAborted();
  const own = new AbortController();
  return new Promise<A>((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason);
      own.abort(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    send(own.signal)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}
