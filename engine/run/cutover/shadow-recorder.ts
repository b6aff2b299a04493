import { shadowCounts, shadowDifference } from '../../../tables/model/ledger/cutover-records.ts';
import { formatAttribute } from '../../../tables/model/ledger/ledger.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import { isoOfEpochMs } from '../../../tables/model/time.ts';
import { compareAnswers } from '../../core/cutover/compare-answers.ts';
import { answerEntryOf } from '../../core/cutover/entry.ts';
import type { ParityDifference } from '../../core/cutover/parity-report.ts';
import type { PartitionValue } from '../../core/cutover/partition-values.ts';
import type { PatternState } from '../../core/cutover/state-record.ts';
import { ledgerAttributes, ledgerItem, ledgerKey } from '../../core/ledger/ledger-codec.ts';
import { tableOf } from '../../core/read/checked-call.ts';
import { legacyOrder } from '../../core/read/plan-legacy.ts';
import { putEntry, updateEntry } from '../../core/store/transact-entry.ts';
import { LedgerStore } from '../ledger/ledger-store.ts';
import { type OldAnswer, type ReadEnvironment, readAll } from '../read/read-pattern.ts';
import type { ShadowReads } from '../read/reader.ts';
import { lookAgain } from './look-again.ts';

/** Shadow reads at once; beyond them a read goes without, so that a slow index cannot pile up work. */
export const maxShadowReads = 4;
/** Differences of one read that are kept by key; all are counted. */
export const maxKeptDifferences = 20;

export interface ShadowOptions {
  readonly environment: ReadEnvironment;
  /** The state as the reader knows it: its share, and the version that the findings are counted under. */
  readonly stateOf: (pattern: Pattern) => PatternState;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  readonly onError?: ((pattern: string, error: unknown) => void) | undefined;
}

/**
 * Runs the query beside a share of scan-answered reads and records in the ledger what it found and what it cost. It works
 * after the answer was given and keeps every failure to itself.
 */
export class ShadowRecorder implements ShadowReads {
  readonly #options: ShadowOptions;
  readonly #running = new Set<Promise<void>>();

  constructor(options: ShadowOptions) {
    this.#options = options;
  }

  observe(pattern: Pattern, params: Readonly<Record<string, unknown>>, answer: OldAnswer): void {
    const { environment, stateOf, onError } = this.#options;
    const { share, version } = stateOf(pattern);
    if (environment.random() >= share || this.#running.size >= maxShadowReads) return;
    const work = this.#compare(pattern, params, answer, version)
      .catch((error: unknown) => onError?.(pattern.name, error))
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  /** Resolves when no shadow read is under way. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #compare(pattern: Pattern, params: Readonly<Record<string, unknown>>, answer: OldAnswer, version: number): Promise<void> {
    const value = Object.fromEntries(Object.entries(params).map(([name, given]) => [name, String(given)]));
    try {
      const found = await this.#query(pattern, value, answer);
      await this.#record(pattern, version, found.differences, {
        reads: 1,
        differing: Math.min(1, found.differences.length),
        scanUnits: answer.units,
        queryUnits: found.units,
      });
    } catch (error) {
      this.#options.onError?.(pattern.name, error);
      // The failure is worth knowing before the query answers alone; it is counted if the ledger can be reached.
      await this.#record(pattern, version, [], { reads: 1, failures: 1, scanUnits: answer.units });
    }
  }

  async #query(pattern: Pattern, value: PartitionValue, answer: OldAnswer) {
    const { environment } = this.#options;
    const table = tableOf(environment.tables, pattern);
    const sort = legacyOrder(table, pattern);
    const { items, units } = await readAll(
      environment,
      pattern,
      value,
      answer.asked === undefined ? {} : { limit: answer.asked },
    );
    const suspicions = compareAnswers(
      sort,
      answer.items.map((item) => answerEntryOf(table, sort, item, environment.digest)),
      items.map((item) => answerEntryOf(table, sort, item, environment.digest)),
      answer.limit,
    );
    if (suspicions.length === 0) return { differences: [], units };
    const { differences } = await lookAgain(environment, table, pattern, value, suspicions);
    return { differences, units };
  }

  async #record(
    pattern: Pattern,
    version: number,
    differences: readonly ParityDifference[],
    counts: Readonly<Record<string, number>>,
  ): Promise<void> {
    const { environment, nowMs } = this.#options;
    const store = new LedgerStore(environment);
    const at = isoOfEpochMs(nowMs());
    const counted = { pattern: pattern.name, version };
    const add = Object.fromEntries(Object.entries(counts).map(([name, amount]) => [name, String(amount)]));
    // The format goes with it: the first count makes the record.
    const set = { ...ledgerAttributes(shadowCounts, { lastAt: at }), [formatAttribute]: { N: String(shadowCounts.format) } };
    const kept = differences
      .slice(0, maxKeptDifferences)
      .map((difference) => putEntry(store.table, ledgerItem(shadowDifference, { ...counted, ...difference, at })));
    await store.transact(() => [updateEntry(store.table, ledgerKey(shadowCounts, counted), { set, add }), ...kept]);
  }
}
