import type { Item } from '../../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../../tables/model/canonical.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { itemOfText } from '../../core/item/dynamo-json.ts';
import type { DeclaredRow } from '../../core/seed/declared-record.ts';
import { type LedgerRow, planSeed, type RowPlan, strangeRows, type Verdict, type WantedRow } from '../../core/seed/plan-seed.ts';
import { keyAt, type ResolvedRow, resolveRow } from '../../core/seed/resolve-row.ts';
import { defaultMaxDeadLetters } from '../write/write-options.ts';
import { beforeMigrations, type RowsOfTable } from './before-migrations.ts';
import { type SeedEnvironment, writeTable, writeTables } from './environment.ts';
import type { LoadSetOptions, SetReport } from './load-set.ts';
import { readStored } from './read-stored.ts';
import type { SeedLedger } from './seed-ledger.ts';
import { PlanWriter } from './write-plan.ts';

/** Rows that are looked at, planned and written together: all that a set of any size has in memory at a time. */
export const rowsAtOnce = 250;

/** A moment to read `now` as when only the identity of a row matters. */
const identityAnchor = 1_000_000_000;

export interface SetLoad extends LoadSetOptions {
  readonly anchor: number;
  /** The ledger knows nothing of the set yet. */
  readonly isFirst: boolean;
}

/** One load of one set. Of rows that it is done with it keeps their identities and numbers. */
export class SetLoader {
  readonly #environment: SeedEnvironment;
  readonly #ledger: SeedLedger;
  readonly #load: SetLoad;
  readonly #signal: AbortSignal | undefined;
  readonly #writer: PlanWriter;
  readonly #identities = new Set<string>();
  readonly #counts: Partial<Record<Verdict, number>> = {};
  readonly #kept: SetReport['kept'][number][] = [];
  #reached = 0;
  #notWritten = 0;

  constructor(environment: SeedEnvironment, ledger: SeedLedger, load: SetLoad, signal: AbortSignal | undefined) {
    this.#environment = environment;
    this.#ledger = ledger;
    this.#load = load;
    this.#signal = signal;
    this.#writer = new PlanWriter(environment, ledger, load, signal);
  }

  async run(): Promise<SetReport> {
    const { declared, name, dryRun, rows } = this.#load;
    await this.#confirmPrune();
    this.#environment.emit({ kind: 'set-started', set: name, rows });
    for await (const chunk of inChunks(declared, rowsAtOnce)) {
      if (this.#isEnded()) break;
      await this.#settle(await this.#planWanted(chunk));
    }
    if (!this.#isEnded()) for await (const plan of this.#planLeft()) await this.#settle(plan);
    // Of a set that was never loaded, what was not reached is not there.
    if (this.#isEnded() && this.#load.isFirst) this.#notWritten += Math.max(0, (rows ?? this.#reached) - this.#reached);
    const { outcome, ...written } = this.#writer.report();
    const base = { set: name, counts: this.#counts, kept: this.#kept, notWritten: this.#notWritten, ...written };
    return { ...base, outcome: dryRun ? 'planned' : outcome };
  }

  /** Stopped, or so many rows were refused that the rest need not be tried. */
  #isEnded(): boolean {
    const { outcome, deadLettered } = this.#writer.report();
    return outcome === 'interrupted' || deadLettered > defaultMaxDeadLetters;
  }

  /** Asked before anything is written, so that a no leaves everything as it is. */
  async #confirmPrune(): Promise<void> {
    const { prune, dryRun, isFirst, declared, confirmPrune } = this.#load;
    if (!prune || dryRun || isFirst || confirmPrune === undefined) return;
    for await (const chunk of inChunks(declared, rowsAtOnce)) {
      for (const { identity } of this.#wanted(chunk)) this.#identities.add(identity);
    }
    let rows = 0;
    for await (const plan of this.#planLeft()) rows += plan.filter(({ verdict }) => verdict === 'pruned').length;
    this.#identities.clear();
    if (rows > 0) await confirmPrune(rows);
  }

  async #settle(plan: readonly RowPlan[]): Promise<void> {
    const { name, dryRun } = this.#load;
    for (const { table, key, verdict } of plan.filter(isKept)) {
      const row = { table, key: showKeyText(key), verdict };
      this.#kept.push(row);
      this.#environment.emit({ kind: 'kept', set: name, ...row });
    }
    const open = dryRun ? new Set<RowPlan>() : await this.#writer.write(plan);
    for (const row of plan) {
      if (open.has(row)) this.#notWritten += 1;
      else this.#counts[row.verdict] = (this.#counts[row.verdict] ?? 0) + 1;
    }
  }

  async #planWanted(chunk: readonly DeclaredRow[]): Promise<readonly RowPlan[]> {
    const wanted = this.#wanted(chunk);
    const identities = wanted.map(({ identity }) => identity);
    this.#reached += wanted.length;
    if (!this.#load.isFirst) for (const identity of identities) this.#identities.add(identity);
    const ledger = this.#load.isFirst ? new Map<string, LedgerRow>() : await this.#ledger.known(identities, this.#signal);
    return this.#plan(wanted, ledger);
  }

  /** The journal of the migrations is looked at only where something is stored that the ledger does not know. */
  async #plan(wanted: readonly WantedRow[], ledger: ReadonlyMap<string, LedgerRow>): Promise<readonly RowPlan[]> {
    const items = await this.#stored(wanted, ledger);
    const stored = (table: string, key: string): string | undefined => {
      const item = items.get(table)?.get(key);
      return item === undefined ? undefined : this.#environment.digest(canonicalItem(item));
    };
    const input = { ...this.#load, wanted, ledger, stored };
    const strange = strangeRows(input);
    if (strange.length === 0) return planSeed(input);
    const unmigrated = await beforeMigrations(this.#environment, this.#ledger, only(items, strange));
    return planSeed({ ...input, unmigrated });
  }

  /** Rows that the ledger knows and the files no longer have. */
  async *#planLeft(): AsyncGenerator<readonly RowPlan[]> {
    if (this.#load.isFirst) return;
    for await (const page of this.#ledger.pages(this.#signal)) {
      const ledger = new Map([...page].filter(([identity]) => !this.#identities.has(identity)));
      if (ledger.size === 0) continue;
      yield this.#plan([], ledger);
    }
  }

  #wanted(chunk: readonly DeclaredRow[]): readonly WantedRow[] {
    const { digest } = this.#environment;
    return chunk.map((declared) => {
      const row = resolved(declared, this.#load.anchor);
      const { table, key, item } = row;
      const identified = row.relative ? keyAt(declared, row, identityAnchor) : key;
      const keyText = canonicalItem(key);
      const identifiedText = identified === key ? keyText : canonicalItem(identified);
      return {
        identity: digest(`${table.name} ${identifiedText}`).slice(0, 32),
        table,
        key: keyText,
        hash: digest(canonicalItem(item)),
        item,
      };
    });
  }

  /** What is stored under the keys that the rows have, or had. */
  async #stored(wanted: readonly WantedRow[], known: ReadonlyMap<string, LedgerRow>): Promise<ReadonlyMap<string, RowsOfTable>> {
    const keys = new Map<string, Map<string, Item>>();
    const add = (table: string, key: string, item?: Item) => {
      const own = keys.get(table) ?? new Map<string, Item>();
      keys.set(table, own);
      if (!own.has(key)) own.set(key, item ?? itemOfText(key));
    };
    for (const row of wanted) add(row.table.name, row.key, row.item);
    for (const row of known.values()) for (const copy of row.copies) add(row.table, copy.key);
    const tables = writeTables(this.#environment);
    const items = new Map<string, RowsOfTable>();
    for (const [name, own] of keys) {
      const table = writeTable(tables, name, this.#environment.config.stack);
      items.set(name, await readStored(this.#environment, table, [...own.values()], this.#signal));
    }
    return items;
  }
}

/** Of the rows that are stored, those that are named. */
function only(items: ReadonlyMap<string, RowsOfTable>, named: readonly { readonly table: string; readonly key: string }[]) {
  const chosen = new Map<string, Map<string, Item>>();
  for (const { table, key } of named) {
    const item = items.get(table)?.get(key);
    if (item !== undefined) chosen.set(table, (chosen.get(table) ?? new Map<string, Item>()).set(key, item));
  }
  return chosen;
}

/** A row that was found right before. */
export function resolved(declared: DeclaredRow, anchor: number): ResolvedRow {
  const resolution = resolveRow(declared, anchor);
  if ('row' in resolution) return resolution.row;
  throw new TablewrightError('BAD_SEED', 'the fixtures do not hold', {
    problems: resolution.problems,
    next: 'Correct the files that the lines name.',
  });
}

function isKept({ verdict }: RowPlan): boolean {
  return (
    verdict === 'edited' ||
    verdict === 'migrated' ||
    verdict === 'foreign' ||
    verdict === 'leftover' ||
    verdict === 'leftover-edited'
  );
}

/** A key as people read it. */
function showKeyText(text: string): string {
  return Object.values(itemOfText(text))
    .map((value) => Object.values(value).join())
    .join(' / ');
}

async function* inChunks<T>(source: Iterable<T> | AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let chunk: T[] = [];
  for await (const one of source) {
    chunk.push(one);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
