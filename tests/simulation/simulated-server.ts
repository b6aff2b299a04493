import type { EntriesOutcome, StatementsOutcome, WriteAnswer } from '../../engine/core/migrate/data-store.ts';
import type { PartiqlStatement } from '../../engine/core/migrate/statement.ts';
import type { Random } from '../../engine/core/seed/random.ts';
import type {
  BatchGetAnswer,
  BatchGetRequest,
  GetAnswer,
  GetRequest,
  PageAnswer,
  QueryRequest,
  ScanRequest,
  TableDescription,
  TransactAnswer,
  TransactEntry,
  TransactRequest,
} from '../../engine/core/store/store.ts';
import { tableOfEntry } from '../../engine/core/store/transact-entry.ts';
import { keyElements } from '../../engine/core/tables/create-table.ts';
import { maxBatchStatements, maxTransactionWrites } from '../../engine/core/write/batch-limits.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../tables/model/error.ts';
import { keyAttributes, type Table } from '../../tables/model/table.ts';
import { ExpressionReader } from '../support/evaluate-expression.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { plainSettings } from '../support/plain-settings.ts';
import { SimulatedTable } from './simulated-table.ts';
import { changed, holdsFor, planStatement } from './statement-plan.ts';

/** Who sent a request; what it does is told to whoever watches. */
export interface Sender {
  readonly name: string;
}

/** One item before and after a request. */
export interface Mutation {
  readonly table: string;
  readonly identity: string;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

/** Told of everything that happens, as it happens. */
export interface Watcher {
  /** All items that one request changed at once. */
  changed(sender: Sender, mutations: readonly Mutation[]): void;
  /** An answer has come to whoever asked; read at that moment. */
  scanned(sender: Sender, request: ScanRequest, page: PageAnswer, atMs: number): void;
  /** So have these keys' items, or that there are none. */
  got(sender: Sender, request: BatchGetRequest, atMs: number): void;
}

export interface ServerOptions {
  /** How late reads without consistency may be. */
  readonly staleMs: number;
  /** How late indexes may be. */
  readonly indexLagMs: number;
  /** A failed guard comes back with the item. */
  readonly returnsOld: boolean;
  /** Answers say what they consumed. */
  readonly tellsUnits: boolean;
  readonly nowMs: () => number;
  readonly random: Random;
  /** Told of a request that DynamoDB would never take: the engine sends none. */
  readonly onInvalid: (message: string) => void;
}

/** DynamoDB, of one stack: what requests do and answer, at one moment each. No latency and no fault is here. */
export class SimulatedServer {
  readonly tables = new Map<string, SimulatedTable>();
  readonly #options: ServerOptions;
  readonly #watchers: Watcher[] = [];
  /** Transactions by their token: the same one again does nothing (TransactWriteItems API reference, ClientRequestToken). */
  readonly #done = new Map<string, string>();

  constructor(tables: ReadonlyMap<string, Table>, options: ServerOptions) {
    for (const [name, table] of tables) this.tables.set(name, new SimulatedTable(table));
    this.#options = options;
  }

  watch(watcher: Watcher): void {
    this.#watchers.push(watcher);
  }

  table(name: string): SimulatedTable {
    return this.tables.get(name) ?? this.#invalid(`no table ${name}`);
  }

  getItem({ TableName, Key, ConsistentRead }: GetRequest): GetAnswer {
    const table = this.table(TableName);
    const { nowMs, staleMs, random } = this.#options;
    const identity = table.identityOf(Key);
    const item = ConsistentRead === true ? table.get(identity) : table.seenOne(identity, nowMs(), staleMs, random);
    return { item, units: this.#units(1) };
  }

  batchGet({ TableName, Keys, ConsistentRead }: BatchGetRequest): BatchGetAnswer {
    const table = this.table(TableName);
    const identities = Keys.map((key) => table.identityOf(key));
    if (Keys.length > 100 || new Set(identities).size < Keys.length) this.#invalid('BatchGetItem: too many keys, or one twice');
    const found = Keys.map((Key) => this.getItem({ TableName, Key, ConsistentRead: ConsistentRead === true }).item);
    return { items: found.filter((item) => item !== undefined).toReversed(), unprocessed: [], units: this.#units(Keys.length) };
  }

  query(request: QueryRequest): PageAnswer {
    return this.#page(() => this.#view(request).queryNow(request));
  }

  scan(request: ScanRequest): PageAnswer {
    return this.#page(() => this.#view(request).scanNow(request));
  }

  /** A page is seen when its answer has come, as it was when it was read. */
  tellScanned(sender: Sender, request: ScanRequest, page: PageAnswer, atMs: number): void {
    for (const watcher of this.#watchers) watcher.scanned(sender, request, page, atMs);
  }

  tellGot(sender: Sender, request: BatchGetRequest, atMs: number): void {
    for (const watcher of this.#watchers) watcher.got(sender, request, atMs);
  }

  #page(read: () => PageAnswer): PageAnswer {
    try {
      const page = read();
      return { ...page, units: this.#units(page.items.length) };
    } catch (error) {
      return this.#invalid((error as Error).message);
    }
  }

  #view({ TableName, IndexName, ConsistentRead }: Pick<ScanRequest, 'TableName' | 'IndexName' | 'ConsistentRead'>): MemoryStore {
    const table = this.table(TableName);
    const { nowMs, staleMs, indexLagMs, random } = this.#options;
    const lagMs = IndexName === undefined ? staleMs : indexLagMs;
    const items = ConsistentRead === true ? table.present() : table.seenAt(nowMs(), lagMs, random);
    return new MemoryStore(table.schema, items);
  }

  transact(sender: Sender, { TransactItems, ClientRequestToken }: TransactRequest): TransactAnswer {
    const contents = JSON.stringify(TransactItems);
    const before = ClientRequestToken === undefined ? undefined : this.#done.get(ClientRequestToken);
    if (before !== undefined && before !== contents) this.#invalid('IdempotentParameterMismatchException');
    if (before !== undefined) return { done: true };
    const plans = TransactItems.map((entry) => this.#plan(entry));
    const places = plans.map(({ table, identity }) => `${table} ${identity}`);
    if (places.length > maxTransactionWrites || new Set(places).size < places.length)
      this.#invalid('too many entries, or one twice');
    const reasons = plans.map(({ holds }) => (holds ? 'None' : 'ConditionalCheckFailed'));
    if (reasons.includes('ConditionalCheckFailed')) return { done: false, reasons };
    if (ClientRequestToken !== undefined) this.#done.set(ClientRequestToken, contents);
    this.#carryOut(
      sender,
      plans.flatMap(({ mutation }) => mutation ?? []),
    );
    return { done: true };
  }

  /** What an entry would do to the item as it is. */
  #plan(entry: TransactEntry) {
    const name = tableOfEntry(entry);
    const table = this.table(name);
    const { Item: put, Key, ConditionExpression, UpdateExpression, ...expressions } = partsOf(entry);
    const key = Key ?? put ?? {};
    const identity = table.identityOf(key);
    const before = table.get(identity);
    const reader = new ExpressionReader(expressions);
    const holds = ConditionExpression === undefined || reader.read(ConditionExpression)(before ?? {});
    const update = UpdateExpression === undefined ? undefined : reader.readUpdate(UpdateExpression);
    if (reader.unused().length > 0) this.#invalid(`unused in expressions: ${reader.unused().join(', ')}`);
    const after = 'Delete' in entry ? undefined : (put ?? update?.(before ?? key));
    const mutation: Mutation | undefined = 'ConditionCheck' in entry ? undefined : { table: name, identity, before, after };
    return { table: name, identity, holds, mutation };
  }

  execute(sender: Sender, tableName: string, statements: readonly PartiqlStatement[]): StatementsOutcome {
    if (statements.length > maxBatchStatements) this.#invalid('too many statements');
    const answers = statements.map((statement) => this.executeOne(sender, tableName, statement));
    return { kind: 'answered', answers, consumed: this.consumed(statements.length) };
  }

  executeOne(sender: Sender, tableName: string, statement: PartiqlStatement): WriteAnswer {
    const plan = planStatement(statement);
    if (plan.table !== tableName) this.#invalid(`a statement for ${plan.table} among those for ${tableName}`);
    const table = this.table(tableName);
    const identity = table.identityOf(plan.equal);
    const before = table.get(identity);
    if (before === undefined) return { kind: 'refused', item: undefined };
    if (!holdsFor(plan, before)) return { kind: 'refused', item: this.#options.returnsOld ? before : undefined };
    this.#carryOut(sender, [{ table: tableName, identity, before, after: changed(plan, before) }]);
    return { kind: 'done' };
  }

  writeTogether(sender: Sender, entries: readonly TransactEntry[]): EntriesOutcome {
    const answer = this.transact(sender, { TransactItems: [...entries] });
    const consumed = this.consumed(entries.length);
    if (answer.done) return { kind: 'answered', answer: { kind: 'done' }, failedAt: -1, consumed };
    const failedAt = answer.reasons.findIndex((reason) => reason !== 'None');
    return { kind: 'answered', answer: { kind: 'refused', item: undefined }, failedAt, consumed: undefined };
  }

  describeTable(name: string): TableDescription | undefined {
    const table = this.tables.get(name);
    if (table === undefined) return undefined;
    const { schema } = table;
    const capacity = { read: 0, write: 0 };
    return {
      name,
      status: 'ACTIVE',
      key: keyElements(schema.key),
      attributes: Object.fromEntries(keyAttributes(schema).map((attribute) => [attribute.name, attribute.type])),
      billing: 'PAY_PER_REQUEST',
      capacity,
      encryption: 'KMS',
      itemCount: table.present().length,
      bytes: 0,
      ttl: { status: schema.ttl === undefined ? 'DISABLED' : 'ENABLED', attribute: schema.ttl },
      indexes: schema.indexes.map((index) => ({
        name: index.name,
        status: 'ACTIVE',
        key: keyElements(index),
        projection: { ProjectionType: 'ALL' },
        capacity,
      })),
      settings: plainSettings,
    };
  }

  /** An item that was always there. */
  fill(table: string, item: Item): void {
    this.table(table).set(this.table(table).identityOf(item), item, Number.NEGATIVE_INFINITY);
  }

  /** Whoever is no runner: an application, or what damages the ledger. Undefined takes the item away. */
  put(sender: Sender, table: string, key: Item, after: Item | undefined): void {
    const identity = this.table(table).identityOf(key);
    this.#carryOut(sender, [{ table, identity, before: this.table(table).get(identity), after }]);
  }

  #carryOut(sender: Sender, mutations: readonly Mutation[]): void {
    for (const { table, identity, after } of mutations) this.table(table).set(identity, after, this.#options.nowMs());
    for (const watcher of this.#watchers) watcher.changed(sender, mutations);
  }

  #invalid(message: string): never {
    this.#options.onInvalid(message);
    throw new TablewrightError('STORE_FAILED', `ValidationException: ${message}`);
  }

  #units(items: number): number {
    return this.#options.tellsUnits ? Math.max(0.5, items / 2) : 0;
  }

  consumed(items: number): number | undefined {
    return this.#options.tellsUnits ? items : undefined;
  }
}

function partsOf(entry: TransactEntry): {
  readonly Item?: Item;
  readonly Key?: Item;
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Item;
} {
  if ('Put' in entry) return entry.Put;
  if ('Update' in entry) return entry.Update;
  return 'Delete' in entry ? entry.Delete : entry.ConditionCheck;
}
