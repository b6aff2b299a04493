import type { Item } from '../../../tables/model/attribute-value.ts';
import { cutoverState } from '../../../tables/model/ledger/cutover-records.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import { type PatternState, type ReadState, stateFor } from '../../core/cutover/state-record.ts';
import { readLedgerRecord, salvage } from '../../core/ledger/ledger-codec.ts';
import { noRetryPolicy } from '../../core/store/retry-policy.ts';
import { type LedgerEnvironment, LedgerStore, type ListOptions } from '../ledger/ledger-store.ts';
import type { ReadStates } from '../read/read-pattern.ts';

/** How old a reader's knowledge of the states may be. A change of state reaches every reader within this time. */
export const defaultRefreshMs = 5_000;

/** The states of all patterns that were ever moved, by name. */
export async function loadStates(
  environment: LedgerEnvironment,
  options: ListOptions = {},
): Promise<ReadonlyMap<string, PatternState>> {
  const records = await new LedgerStore(environment).list(cutoverState, {}, options);
  return new Map(records.map((record) => [record.pattern, record]));
}

export interface LedgerStatesOptions {
  readonly ledger: LedgerEnvironment;
  /** Milliseconds that only grow. */
  readonly steadyMs: () => number;
  readonly refreshMs?: number | undefined;
}

/** A pattern's state, or why its record cannot be read. */
type KnownState = { readonly record: PatternState } | { readonly error: unknown };

/**
 * The states as the ledger has them, at most `refreshMs` old. When the ledger cannot be read, what was known last stays
 * valid; a reader that knows nothing yet fails, because a guess could be a wrong answer or a Scan that nobody asked for. A
 * record that is damaged concerns its own pattern only.
 */
export class LedgerStates implements ReadStates {
  readonly #options: LedgerStatesOptions;
  #states: ReadonlyMap<string, KnownState> | undefined;
  #askedAt = 0;
  #asking: Promise<void> | undefined;

  constructor(options: LedgerStatesOptions) {
    this.#options = options;
  }

  async stateOf(pattern: Pattern): Promise<ReadState> {
    return (await this.recordOf(pattern)).state;
  }

  async recordOf(pattern: Pattern): Promise<PatternState> {
    await this.#refresh();
    return this.known(pattern);
  }

  /** Without asking the ledger. */
  known(pattern: Pattern): PatternState {
    const known = this.#states?.get(pattern.name);
    if (known !== undefined && 'error' in known) throw known.error;
    return stateFor(pattern, known?.record);
  }

  async #refresh(): Promise<void> {
    const { steadyMs, refreshMs = defaultRefreshMs } = this.#options;
    if (this.#states !== undefined && steadyMs() - this.#askedAt < refreshMs) return;
    // Readers that come at the same time share one question.
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
  }

  async #ask(): Promise<void> {
    const { ledger, steadyMs } = this.#options;
    const askedAt = steadyMs();
    try {
      const items = await new LedgerStore({ ...ledger, retry: noRetryPolicy }).items(cutoverState, {}, { consistent: false });
      this.#states = new Map(items.flatMap((item) => this.#stateIn(item)));
    } catch (error) {
      if (this.#states === undefined) throw error;
    }
    this.#askedAt = askedAt;
  }

  #stateIn(item: Item): readonly (readonly [string, KnownState])[] {
    const { pattern } = salvage(cutoverState, item);
    if (pattern === undefined) return [];
    try {
      return [[pattern, { record: readLedgerRecord(cutoverState, item) }]];
    } catch (error) {
      return [[pattern, this.#states?.get(pattern) ?? { error }]];
    }
  }
}
