import type { Pattern } from '../../../tables/model/pattern.ts';
import { physicalName } from '../../../tables/stack-config.ts';
import { cutoverStates } from '../../../tables/tablewright/cutover-keys.ts';
import { ledger } from '../../../tables/tablewright/ledger.ts';
import { initialState, type ReadState, type StateRecord, stateOfItem } from '../../core/cutover/state-record.ts';
import type { ReadNames } from '../../core/read/plan-read.ts';
import { ExpressionBuilder } from '../../core/store/expression.ts';
import type { Store } from '../../core/store/store.ts';
import type { ReadStates } from '../read/read-pattern.ts';

/** How old a reader's knowledge of the states may be. A change of state reaches every reader within this time. */
export const defaultRefreshMs = 5_000;

type QueryStore = Pick<Store, 'query'>;

/** The states of all patterns that were ever moved, by name. */
export async function loadStates(
  store: QueryStore,
  names: ReadNames,
  signal?: AbortSignal,
  consistent = false,
): Promise<ReadonlyMap<string, StateRecord>> {
  const expressions = new ExpressionBuilder();
  const KeyConditionExpression = `${expressions.name('PK')} = ${expressions.value({ S: cutoverStates })}`;
  const request = {
    TableName: physicalName(ledger, names),
    KeyConditionExpression,
    ScanIndexForward: true,
    ConsistentRead: consistent,
    ...expressions.attributes(),
  };
  const states = new Map<string, StateRecord>();
  let page = await store.query(request, signal);
  for (;;) {
    for (const record of page.items.map(stateOfItem)) states.set(record.pattern, record);
    if (page.next === undefined) return states;
    page = await store.query({ ...request, ExclusiveStartKey: page.next }, signal);
  }
}

export interface LedgerStatesOptions {
  readonly store: QueryStore;
  readonly names: ReadNames;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  readonly refreshMs?: number | undefined;
}

/**
 * The states as the ledger has them, at most `refreshMs` old. When the ledger cannot be read, what was known last stays
 * valid; a reader that knows nothing yet fails, because a guess could be a wrong answer or a Scan that nobody asked for.
 */
export class LedgerStates implements ReadStates {
  readonly #options: LedgerStatesOptions;
  #states: ReadonlyMap<string, StateRecord> | undefined;
  #askedAt = 0;
  #asking: Promise<void> | undefined;

  constructor(options: LedgerStatesOptions) {
    this.#options = options;
  }

  async stateOf(pattern: Pattern): Promise<ReadState> {
    return (await this.recordOf(pattern)).state;
  }

  async recordOf(pattern: Pattern): Promise<StateRecord> {
    await this.#refresh();
    return this.known(pattern);
  }

  /** Without asking the ledger. */
  known(pattern: Pattern): StateRecord {
    return this.#states?.get(pattern.name) ?? initialState(pattern.name);
  }

  async #refresh(): Promise<void> {
    const { now, refreshMs = defaultRefreshMs } = this.#options;
    if (this.#states !== undefined && now() - this.#askedAt < refreshMs) return;
    // Readers that come at the same time share one question.
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
  }

  async #ask(): Promise<void> {
    const { store, names, now } = this.#options;
    const askedAt = now();
    try {
      this.#states = await loadStates(store, names);
    } catch (error) {
      if (this.#states === undefined) throw error;
    }
    this.#askedAt = askedAt;
  }
}
