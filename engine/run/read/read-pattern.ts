import type { Item } from '../../../tables/model/attribute-value.ts';
import { type Digest, keyIdentity } from '../../../tables/model/canonical.ts';
import { holds } from '../../../tables/model/condition.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import type { Table } from '../../../tables/model/table.ts';
import type { ReadState } from '../../core/cutover/state-record.ts';
import { type CheckedCall, checkCall, type Params } from '../../core/read/checked-call.ts';
import type { CursorPosition } from '../../core/read/cursor.ts';
import { type ScanPlan, sortMatches, takeMatches } from '../../core/read/plan-legacy.ts';
import { advance, type GetPlan, planRead, type QueryPlan, type ReadNames, type ReadPlan } from '../../core/read/plan-read.ts';
import type { ReadOptions } from '../../core/read/read-options.ts';
import { briefRetryPolicy } from '../../core/store/retry-policy.ts';
import type { Store } from '../../core/store/store.ts';
import type { CapacityGates } from '../capacity/capacity-gate.ts';
import { batchGetAll, getOne } from '../store/read-keys.ts';
import type { ReadContext } from '../store/read-pages.ts';
import { queryPage, scanPages } from '../store/read-pages.ts';

/** What a plan is carried out with: a store, the budgets of its tables, and what waiting needs. */
export interface ReadSource extends ReadContext {
  readonly store: Pick<Store, 'getItem' | 'query' | 'scan' | 'batchGet'>;
}

/** What reading needs from outside. */
export interface ReadEnvironment extends ReadContext {
  readonly store: Store;
  readonly tables: readonly Table[];
  readonly names: ReadNames;
  /** The write budgets: of operations, and of the ledger. */
  readonly writeGates: CapacityGates;
  /** Of contents, to compare answers by. */
  readonly digest: Digest;
}

/** Where the state of each pattern is known. Patterns without a legacy form are always read by their query. */
export interface ReadStates {
  stateOf(pattern: Pattern, signal?: AbortSignal): Promise<ReadState>;
}

export interface ReadPage {
  /** Whole records, in order; none when they were only counted. */
  readonly items: readonly Item[];
  readonly records: number;
  /** Consumed read units of this page, hydration included. */
  readonly units: number;
  /** The pages of DynamoDB's that it took: one, or all of a Scan's. */
  readonly pages: number;
  readonly way: 'query' | 'scan';
  /** Where another read may go on; undefined at the end. */
  readonly position: CursorPosition | undefined;
}

/** What the old form of a pattern found: a Scan before any limit, a Query as far as it was asked for. */
export interface OldAnswer {
  /** In the order of the answer. */
  readonly items: readonly Item[];
  /** The most records that the pattern gives. */
  readonly limit: number | undefined;
  /** Records that the reader asked for; the answer ends there. */
  readonly asked?: number | undefined;
  readonly units: number;
}

export interface SendOptions {
  readonly signal?: AbortSignal | undefined;
  /** Shown the answer of an old form that the query is to be tried beside. */
  readonly onShadow?: ((answer: OldAnswer) => void) | undefined;
}

/** The plan of a read by the way that the pattern's state asks for, unless the options name one. */
export async function planByState(
  { environment, states }: { readonly environment: ReadEnvironment; readonly states: ReadStates },
  call: CheckedCall,
  options: ReadOptions,
  signal?: AbortSignal,
): Promise<ReadPlan> {
  signal?.throwIfAborted();
  const { state = call.pattern.legacy === undefined ? 'query' : await states.stateOf(call.pattern, signal) } = options;
  return planRead(call, environment.names, { ...options, state });
}

/** Carries a plan out, page by page, within the budgets of the source. */
export function sendPlan(source: ReadSource, plan: ReadPlan, options: SendOptions = {}): AsyncGenerator<ReadPage> {
  switch (plan.kind) {
    case 'get':
      return sendGet(source, plan, options);
    case 'query':
      return sendQuery(source, plan, options);
    case 'scan':
      return sendScan(source, plan, options);
  }
}

async function* sendGet(source: ReadSource, plan: GetPlan, { signal }: SendOptions): AsyncGenerator<ReadPage> {
  signal?.throwIfAborted();
  const { item, units } = await getOne(source, plan.request, signal);
  const items = item !== undefined && (plan.filter === undefined || holds(plan.filter, item)) ? [item] : [];
  yield { items, records: items.length, units, pages: 1, way: 'query', position: undefined };
}

async function* sendQuery(source: ReadSource, first: QueryPlan, options: SendOptions): AsyncGenerator<ReadPage> {
  const { signal, onShadow } = options;
  const shown: Item[] = [];
  let units = 0;
  for (let plan: QueryPlan | undefined = first; plan !== undefined; ) {
    signal?.throwIfAborted();
    const answer = await queryPage(source, plan.request, signal);
    const { items, records, position, rest } = advance(plan, answer);
    const page = { units: answer.units, pages: 1, way: 'query', position } as const;
    const whole = plan.hydrate ? await hydrate(source, plan, items, signal) : { items, units: 0 };
    const paid = answer.units + whole.units;
    if (plan.shadow) shown.push(...whole.items);
    units += paid;
    // Before the last page is given: whoever asked for it may not come back for the end.
    if (plan.shadow && rest === undefined) onShadow?.({ items: shown, limit: first.limit, asked: first.limit, units });
    yield { ...page, items: whole.items, records: plan.hydrate ? whole.items.length : records, units: paid };
    plan = rest;
  }
}

async function* sendScan(source: ReadSource, plan: ScanPlan, { signal, onShadow }: SendOptions): AsyncGenerator<ReadPage> {
  signal?.throwIfAborted();
  const matches: Item[] = [];
  let [units, pages] = [0, 0];
  for await (const answer of scanPages(source, plan.request, signal)) {
    matches.push(...answer.items);
    units += answer.units;
    pages += 1;
  }
  const items = sortMatches(plan, matches);
  const limit = plan.left === undefined ? undefined : plan.given + plan.left;
  if (plan.shadow) onShadow?.({ items, limit, units });
  const { records, position, ...taken } = takeMatches(plan, items);
  yield { items: taken.items, records, units, pages, way: 'scan', position };
}

/** The whole records of index entries, in the order of the entries. A record deleted in between is left out. */
async function hydrate(source: ReadSource, plan: QueryPlan, entries: readonly Item[], signal?: AbortSignal) {
  const { key } = plan.call.table;
  const wanted = { table: { name: plan.request.TableName, key }, keys: entries, consistent: false };
  // Keys that a busy table leaves over are no failure: they are asked for again, whatever a reader makes of failures.
  const found = await batchGetAll({ ...source, retry: briefRetryPolicy }, wanted, signal);
  const items = entries.map((entry) => found.items.get(keyIdentity(key, entry))).filter((item) => item !== undefined);
  return { items, units: found.units };
}

export interface WholeAnswer {
  readonly items: readonly Item[];
  readonly units: number;
  readonly pages: number;
}

/** Everything that a pattern gives, at once; by its query, whatever its state, unless `state` says otherwise. */
export async function readAll(
  environment: ReadEnvironment,
  pattern: Pattern,
  params: Params,
  { signal, ...options }: ReadOptions & { readonly signal?: AbortSignal | undefined } = {},
): Promise<WholeAnswer> {
  const plan = planRead(checkCall(environment.tables, pattern, params), environment.names, options);
  const items: Item[] = [];
  let [units, pages] = [0, 0];
  for await (const page of sendPlan(environment, plan, { signal })) {
    items.push(...page.items);
    units += page.units;
    pages += page.pages;
  }
  return { items, units, pages };
}
