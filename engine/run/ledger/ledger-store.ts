import type { Item } from '../../../tables/model/attribute-value.ts';
import type { RecordOf } from '../../../tables/model/entity.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import type { KeyOf, LedgerEntity, RangeOf } from '../../../tables/model/ledger/ledger-entity.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { ledgerKey, ledgerRange, readLedgerRecord, readLedgerRecords } from '../../core/ledger/ledger-codec.ts';
import type { ReadNames } from '../../core/read/plan-read.ts';
import { ExpressionBuilder, type KeyPart } from '../../core/store/expression.ts';
import { briefRetryPolicy } from '../../core/store/retry-policy.ts';
import type { QueryRequest, Store, TransactAnswer, TransactEntry } from '../../core/store/store.ts';
import type { CapacityGates } from '../capacity/capacity-gate.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { batchGetAll, getOne } from '../store/read-keys.ts';
import { queryAll, queryPages, type ReadContext } from '../store/read-pages.ts';
import { type TransactOptions, transact } from '../store/transact.ts';

/** What the ledger is reached by, within the budgets of its table. */
export interface LedgerEnvironment extends ReadContext {
  readonly store: Pick<Store, 'getItem' | 'query' | 'transact'>;
  readonly names: ReadNames;
  readonly writeGates: CapacityGates;
}

export interface ListOptions {
  readonly signal?: AbortSignal | undefined;
  /** False for whoever asks often and can live with knowledge of a second ago. */
  readonly consistent?: boolean | undefined;
}

/** All that is ever read from or written to the ledger goes through here, seed rows apart, which are bulk writes. */
export class LedgerStore {
  readonly #environment: LedgerEnvironment;
  /** The physical name. */
  readonly table: string;

  constructor(environment: LedgerEnvironment) {
    this.#environment = { ...environment, retry: environment.retry ?? briefRetryPolicy };
    this.table = physicalName(ledger, environment.names);
  }

  /** Write units that the ledger may use in a second; Infinity without a limit. */
  get writeUnitsPerSecond(): number {
    return this.#environment.writeGates.of(this.table).unitsPerSecond;
  }

  async get<E extends LedgerEntity>(entity: E, key: KeyOf<E>, signal?: AbortSignal): Promise<RecordOf<E> | undefined> {
    const item = await this.item(ledgerKey(entity, key), signal);
    return item === undefined ? undefined : readLedgerRecord(entity, item);
  }

  /** As it is stored, whatever it holds. */
  async item(key: Item, signal?: AbortSignal): Promise<Item | undefined> {
    return (await getOne(this.#environment, { TableName: this.table, Key: key, ConsistentRead: true }, signal)).item;
  }

  /** All records of the range, by their keys. All that are damaged are named together. */
  async list<E extends LedgerEntity>(entity: E, range: RangeOf<E>, options: ListOptions = {}): Promise<readonly RecordOf<E>[]> {
    return readLedgerRecords(entity, await this.items(entity, range, options));
  }

  /** As they are stored, whatever they hold. */
  async items<E extends LedgerEntity>(entity: E, range: RangeOf<E>, options: ListOptions = {}): Promise<readonly Item[]> {
    const { partition, prefix } = ledgerRange(entity, range);
    const request = this.#request({ partition, range: prefix === '' ? undefined : startingWith(prefix), ...options });
    return (await queryAll(this.#environment, request, options.signal)).items;
  }

  /** The records of these keys that are there, in no given order. `batches` is the store by its other call. */
  async getAll<E extends LedgerEntity>(
    batches: Pick<Store, 'batchGet'>,
    entity: E,
    keys: readonly KeyOf<E>[],
    signal?: AbortSignal,
  ): Promise<readonly RecordOf<E>[]> {
    const wanted = {
      table: { name: this.table, key: ledger.key },
      keys: keys.map((key) => ledgerKey(entity, key)),
      consistent: true,
    };
    const { items } = await batchGetAll({ ...this.#environment, store: batches }, wanted, signal);
    return readLedgerRecords(entity, [...items.values()]);
  }

  /** The records of the range a page at a time, by their keys. */
  async *pages<E extends LedgerEntity>(
    entity: E,
    range: RangeOf<E>,
    signal?: AbortSignal,
  ): AsyncGenerator<readonly RecordOf<E>[]> {
    const { partition, prefix } = ledgerRange(entity, range);
    for await (const page of this.#pages({ partition, range: startingWith(prefix), signal })) {
      yield readLedgerRecords(entity, page);
    }
  }

  /** The records of the range one by one, the last ones first. */
  async *newestFirst<E extends LedgerEntity>(entity: E, range: RangeOf<E>): AsyncGenerator<RecordOf<E>> {
    const { partition, prefix } = ledgerRange(entity, range);
    for await (const page of this.#pages({ partition, range: startingWith(prefix), backward: true })) {
      for (const item of page) yield readLedgerRecord(entity, item);
    }
  }

  /** The records of the range from one on. */
  async *from<E extends LedgerEntity>(entity: E, first: KeyOf<E>, range: RangeOf<E>): AsyncGenerator<RecordOf<E>> {
    const { partition, prefix } = ledgerRange(entity, range);
    const start = ledgerKey(entity, first).SK;
    if (start === undefined) return;
    // Behind everything that begins with the prefix: keys are ASCII.
    const between = { attribute: 'SK', op: 'between', from: start, to: { S: `${prefix}~` } } as const;
    for await (const page of this.#pages({ partition, range: between })) {
      for (const item of page) yield readLedgerRecord(entity, item);
    }
  }

  /**
   * Writes all or nothing. What met another transaction or was throttled goes again; `entriesOf` is asked each time. Not done:
   * a condition did not hold, and the reasons say which.
   */
  async transact(entriesOf: () => readonly TransactEntry[], options: TransactOptions = {}): Promise<TransactAnswer> {
    const context = { ...this.#environment, retry: briefRetryPolicy };
    const answer = await transact(context, () => ({ TransactItems: [...entriesOf()] }), options);
    if (answer.done || answer.reasons.includes('ConditionalCheckFailed')) return answer;
    throw refused(this.table, answer.reasons);
  }

  async *#pages(request: PageRequest): AsyncGenerator<readonly Item[]> {
    for await (const { items } of queryPages(this.#environment, this.#request(request), request.signal)) yield items;
  }

  #request({ partition, range, backward = false, consistent = true }: PageRequest): QueryRequest {
    const expressions = new ExpressionBuilder();
    return {
      TableName: this.table,
      KeyConditionExpression: expressions.keyCondition([inPartition(partition), ...(range === undefined ? [] : [range])]),
      ...expressions.attributes(),
      ScanIndexForward: !backward,
      ConsistentRead: consistent,
    };
  }
}

interface PageRequest extends ListOptions {
  readonly partition: string;
  readonly range: KeyPart | undefined;
  readonly backward?: boolean;
}

const inPartition = (partition: string): KeyPart => ({ attribute: 'PK', op: 'equals', value: { S: partition } });
const startingWith = (prefix: string): KeyPart => ({ attribute: 'SK', op: 'beginsWith', value: { S: prefix } });

/** The ledger of an environment that has other tables and budgets beside it. */
export function ledgerOf({ ledger: store, config, gates, signal, ...ports }: MigrationLedger): LedgerStore {
  const { sleep, random, requestToken } = ports;
  const { read, write } = gates;
  return new LedgerStore({ store, names: config, gates: read, writeGates: write, sleep, random, requestToken, stopping: signal });
}

export type MigrationLedger = Pick<
  MigrateEnvironment,
  'ledger' | 'config' | 'gates' | 'sleep' | 'random' | 'requestToken' | 'signal'
>;

function refused(table: string, reasons: readonly string[]): TablewrightError {
  const met = reasons.includes('TransactionConflict');
  return new TablewrightError(
    met ? 'CONFLICT' : 'STORE_FAILED',
    `${table}: DynamoDB did not take a ledger write: ${reasons.join(', ')}`,
    {
      next: 'Nothing of that write was stored; run the command again, it goes on from the last checkpoint.',
    },
  );
}
