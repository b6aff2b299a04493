import type { Item } from '../../../tables/model/attribute-value.ts';
import { type Digest, keyIdentity } from '../../../tables/model/canonical.ts';
import { holds } from '../../../tables/model/condition.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { keyOf } from '../../../tables/model/item.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import { type KeySchema, keyNames, type Table } from '../../../tables/model/table.ts';
import { after, planRead, type ReadNames, type ReadPlan } from '../../core/read/plan-read.ts';
import { backOffMs } from '../../core/store/back-off.ts';
import type { QueryRequest, Store } from '../../core/store/store.ts';

/** DynamoDB API reference, BatchGetItem: at most 100 keys a request. */
export const maxBatchGetKeys = 100;
/** How often keys that a busy table left unread are asked for again. */
export const maxHydrateAttempts = 8;

/** What reading needs from outside. */
export interface ReadEnvironment {
  readonly store: Store;
  readonly tables: readonly Table[];
  readonly names: ReadNames;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
  /** Of contents, to compare answers by. */
  readonly digest: Digest;
}

export interface PatternPage {
  readonly items: readonly Item[];
  /** Consumed read units of this page, hydration included. */
  readonly units: number;
}

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Sees every write that was acknowledged before; the table's own key allows it, its indexes do not. */
  readonly consistent?: boolean | undefined;
  /** Begins after the record with these keys. */
  readonly after?: Item | undefined;
  /** The most records to give, on top of the pattern's own limit. */
  readonly most?: number | undefined;
  /** Everything, past the pattern's own limit. */
  readonly unlimited?: boolean | undefined;
}

export interface PositionedPage extends PatternPage {
  /** The keys of the last record, where another read may go on; undefined at the end. */
  readonly last: Item | undefined;
}

/** Runs a pattern page by page. Items come whole, in the pattern's order, never more than its limit. */
export async function* readPattern(
  environment: ReadEnvironment,
  pattern: Pattern,
  params: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): AsyncGenerator<PatternPage> {
  for await (const { items, units } of readFrom(environment, pattern, params, { signal })) yield { items, units };
}

/** As `readPattern`, from any place on and with its options. */
export async function* readFrom(
  environment: ReadEnvironment,
  pattern: Pattern,
  params: Readonly<Record<string, unknown>>,
  options: ReadOptions,
): AsyncGenerator<PositionedPage> {
  const table = tableOf(environment.tables, pattern);
  const plan = planRead(table, pattern, params, environment.names);
  const consistency = consistencyOf(pattern, options);
  if (plan.kind === 'query') {
    const { Limit: _, ...request } = plan.request;
    const limit = options.unlimited === true ? undefined : plan.limit;
    const whole = { ...plan, limit, request: { ...request, ...consistency } };
    yield* queryPages(environment, table, whole, schemaOf(table, pattern), options);
    return;
  }
  if (options.after !== undefined) return;
  const { item, units } = await environment.store.getItem({ ...plan.request, ...consistency }, options.signal);
  const matches = item !== undefined && (plan.filter === undefined || holds(plan.filter, item));
  yield { items: matches ? [item] : [], units, last: undefined };
}

/** DynamoDB Developer Guide, "Read consistency": a global secondary index answers eventually consistent reads only. */
export function consistencyOf(pattern: Pattern, { consistent }: ReadOptions): { readonly ConsistentRead?: true } {
  if (consistent !== true) return {};
  if (pattern.index === undefined) return { ConsistentRead: true };
  throw new TablewrightError(
    'BAD_ARGUMENT',
    `${pattern.name}: index ${pattern.index} gives no consistent reads; only the table's own key does`,
    { next: 'Leave out consistent, or read the record by its primary key.' },
  );
}

function schemaOf(table: Table, pattern: Pattern): KeySchema {
  return table.indexes.find((index) => index.name === pattern.index) ?? table.key;
}

/** Records that a filtered query looks at in one request at least, however few are wanted. */
export const minFilteredLimit = 100;

async function* queryPages(
  environment: ReadEnvironment,
  table: Table,
  plan: Extract<ReadPlan, { readonly kind: 'query' }>,
  schema: KeySchema,
  options: ReadOptions,
): AsyncGenerator<PositionedPage> {
  const { signal } = options;
  let request = options.after === undefined ? plan.request : after(plan.request, options.after);
  let wanted = Math.min(plan.limit ?? Number.POSITIVE_INFINITY, options.most ?? Number.POSITIVE_INFINITY);
  while (wanted > 0) {
    signal?.throwIfAborted();
    const page = await environment.store.query(limited(request, wanted), signal);
    const found = page.items.slice(0, wanted);
    const whole = plan.hydrate ? await hydrate(environment, table, request.TableName, found, signal) : { items: found, units: 0 };
    wanted -= found.length;
    const cut = found.length < page.items.length;
    const end = found.at(-1);
    const last = cut && end !== undefined ? positionOf(table, schema, end) : page.next;
    yield { items: whole.items, units: page.units + whole.units, last };
    if (page.next === undefined) return;
    request = after(request, page.next);
  }
}

/** DynamoDB counts its Limit before the filter, so a filtered query asks for more than it wants. */
function limited(request: QueryRequest, wanted: number): QueryRequest {
  if (wanted === Number.POSITIVE_INFINITY) return request;
  return { ...request, Limit: request.FilterExpression === undefined ? wanted : Math.max(wanted, minFilteredLimit) };
}

/** What DynamoDB goes on from: the keys of the index and of the table. */
export function positionOf(table: Table, schema: KeySchema, item: Item): Item {
  const names = new Set([...keyNames(schema), ...keyNames(table.key)]);
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
}

/** The whole records of index entries, in the order of the entries. A record deleted in between is left out. */
async function hydrate(
  environment: ReadEnvironment,
  table: Table,
  tableName: string,
  entries: readonly Item[],
  signal?: AbortSignal,
): Promise<PatternPage> {
  const found = new Map<string, Item>();
  let units = 0;
  for (let at = 0; at < entries.length; at += maxBatchGetKeys) {
    const keys = entries.slice(at, at + maxBatchGetKeys).map((entry) => keyOf(table, entry));
    const answer = await getAll(environment, tableName, keys, signal);
    for (const item of answer.items) found.set(keyIdentity(table.key, item), item);
    units += answer.units;
  }
  const items = entries.map((entry) => found.get(keyIdentity(table.key, entry))).filter((item) => item !== undefined);
  return { items, units };
}

async function getAll(
  environment: ReadEnvironment,
  tableName: string,
  keys: readonly Item[],
  signal?: AbortSignal,
): Promise<PatternPage> {
  const items: Item[] = [];
  let units = 0;
  let left = [...keys];
  for (let attempt = 0; left.length > 0; attempt += 1) {
    signal?.throwIfAborted();
    if (attempt >= maxHydrateAttempts) {
      throw new TablewrightError(
        'STORE_FAILED',
        `${tableName}: ${left.length} records were still unread after ${attempt} tries`,
        {
          next: 'The table is throttled: read less at once or raise its read capacity.',
        },
      );
    }
    if (attempt > 0) await environment.sleep(backOffMs(attempt, environment.random()), signal);
    const answer = await environment.store.batchGet({ TableName: tableName, Keys: left }, signal);
    items.push(...answer.items);
    units += answer.units;
    left = [...answer.unprocessed];
  }
  return { items, units };
}

export function tableOf(tables: readonly Table[], pattern: Pattern): Table {
  const table = tables.find((candidate) => candidate.name === pattern.table);
  if (table !== undefined) return table;
  throw new TablewrightError('UNKNOWN_NAME', `${pattern.name}: its table ${pattern.table} is not deployed in this stack`, {
    next: 'Add its system to tablewright:systems of the stack, or use another stack.',
  });
}

/** Everything that a pattern gives, at once. */
export async function readAll(
  environment: ReadEnvironment,
  pattern: Pattern,
  params: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<PatternPage & { readonly pages: number }> {
  const items: Item[] = [];
  let units = 0;
  let pages = 0;
  for await (const page of readPattern(environment, pattern, params, signal)) {
    items.push(...page.items);
    units += page.units;
    pages += 1;
  }
  return { items, units, pages };
}
