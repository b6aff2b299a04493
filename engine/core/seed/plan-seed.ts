import type { Item } from '../../../tables/model/attribute-value.ts';
import type { FixtureTable } from './define-seed.ts';

/** A key and the hash of a content; the text of a key is its canonical form. */
export interface Copy {
  readonly key: string;
  readonly hash: string;
}

/** What the files want. */
export interface WantedRow extends Copy {
  readonly identity: string;
  readonly table: FixtureTable;
  readonly item: Item;
}

/** What the ledger knows of a row: every content that a run of this set wrote or was about to write. */
export interface LedgerRow {
  readonly identity: string;
  /** The table's base name. */
  readonly table: string;
  readonly copies: readonly Copy[];
}

export interface PlanInput {
  readonly wanted: readonly WantedRow[];
  readonly ledger: ReadonlyMap<string, LedgerRow>;
  /** The hash of the row that is stored under a key now; undefined when there is none. */
  readonly stored: (table: string, key: string) => string | undefined;
  /** The hashes that a row had before migrations changed it; none when none did. */
  readonly unmigrated?: ((table: string, key: string) => readonly string[]) | undefined;
  readonly overwrite: boolean;
  readonly prune: boolean;
}

export type Verdict =
  | 'created'
  | 'updated'
  /** Stored already with the wanted content; only the ledger learns of it. */
  | 'adopted'
  | 'unchanged'
  /** Somebody changed a row of this set since; kept. */
  | 'edited'
  /** A migration changed a row of this set since, and so did its file; kept. */
  | 'migrated'
  /** A row is there that this set did not write; kept. */
  | 'foreign'
  | 'pruned'
  /** Left the files; kept because nobody asked to prune. */
  | 'leftover'
  /** Left the files and was edited since; kept even when pruning. */
  | 'leftover-edited';

/** One row's part of the plan. Ledger first (`intent`), then the writes, then the ledger again (`confirmed`). */
export interface RowPlan {
  readonly identity: string;
  readonly table: string;
  readonly key: string;
  readonly verdict: Verdict;
  readonly intent?: readonly Copy[];
  readonly put?: Item;
  /** Keys to delete, as canonical texts. */
  readonly remove: readonly string[];
  /** What the ledger says in the end; `forget` when the row is no longer the set's. */
  readonly confirmed?: readonly Copy[] | 'forget';
}

/** One verdict a row; what is written follows from it. See docs/design/seeds.md for the reasons. */
export function planSeed(input: PlanInput): readonly RowPlan[] {
  const wanted = new Set(input.wanted.map((row) => row.identity));
  const left = [...input.ledger.values()].filter((row) => !wanted.has(row.identity));
  return [...input.wanted.map((row) => planWanted(row, input)), ...left.map((row) => planLeft(row, input))];
}

/** Rows of the set that are stored with a content that the ledger does not know: somebody's edit, or a migration's. */
export function strangeRows({ ledger, wanted, stored }: PlanInput): readonly { readonly table: string; readonly key: string }[] {
  const own = new Map(wanted.map((row) => [row.identity, row]));
  return [...ledger.values()].flatMap(({ identity, table, copies }) => {
    const row = own.get(identity);
    const known = row === undefined ? copies : [...copies, row];
    const keys = [...new Set(copies.map(({ key }) => key))];
    return keys.filter((key) => isStrange(key, stored(table, key), known)).map((key) => ({ table, key }));
  });
}

function isStrange(key: string, hash: string | undefined, copies: readonly Copy[]): boolean {
  return hash !== undefined && !isOurs(key, hash, copies);
}

function planWanted(row: WantedRow, input: PlanInput): RowPlan {
  const known = input.ledger.get(row.identity)?.copies ?? [];
  if (known.length === 0 && input.stored(row.table.name, row.key) === undefined) return planNew(row);
  const base = { identity: row.identity, table: row.table.name, key: row.key, remove: [] };
  const keys = [...new Set([row.key, ...known.map((copy) => copy.key)])];
  const state = keys.map((key) => ({ key, hash: input.stored(row.table.name, key) }));
  const ours = [...known, row];
  const strange = state.filter(({ key, hash }) => hash !== undefined && !isOurs(key, hash, ours));
  const touched = touchOf(row, strange, ours, input);
  if (touched === 'migrated-as-wanted') return { ...base, verdict: 'unchanged' };
  if (touched !== undefined && !input.overwrite) {
    if (touched === 'migrated') return { ...base, verdict: 'migrated' };
    const edited = strange.some(({ key }) => known.some((copy) => copy.key === key));
    return { ...base, verdict: edited ? 'edited' : 'foreign' };
  }
  const present = state.find(({ key }) => key === row.key)?.hash;
  const remove = state.filter(({ key, hash }) => key !== row.key && hash !== undefined).map(({ key }) => key);
  const confirmed = [{ key: row.key, hash: row.hash }];
  if (present === row.hash && remove.length === 0) {
    const settled = known.length === 1 && isOurs(row.key, row.hash, known);
    return settled ? { ...base, verdict: 'unchanged' } : { ...base, verdict: 'adopted', confirmed };
  }
  const verdict = state.every(({ hash }) => hash === undefined) ? 'created' : 'updated';
  const put = present === row.hash ? {} : { put: row.item };
  const intent = [...known.filter((copy) => !isOurs(copy.key, copy.hash, confirmed)), ...confirmed];
  return { ...base, verdict, intent, ...put, remove, confirmed };
}

/** Nobody knows anything of it: of a first load, most rows. */
function planNew({ identity, table, key, hash, item }: WantedRow): RowPlan {
  const confirmed = [{ key, hash }];
  return { identity, table: table.name, key, verdict: 'created', intent: confirmed, put: item, remove: [], confirmed };
}

/** By whom rows were changed since: migrations alone, of what the file says or of what an earlier one said, or somebody. */
function touchOf(
  row: WantedRow,
  strange: readonly { readonly key: string }[],
  ours: readonly Copy[],
  { unmigrated }: PlanInput,
): 'migrated-as-wanted' | 'migrated' | 'somebody' | undefined {
  if (strange.length === 0) return undefined;
  const was = strange.map(({ key }) => (unmigrated?.(row.table.name, key) ?? []).filter((hash) => isOurs(key, hash, ours)));
  if (was.some((hashes) => hashes.length === 0)) return 'somebody';
  const asWanted = strange.every(({ key }, at) => key === row.key && was[at]?.includes(row.hash) === true);
  return asWanted ? 'migrated-as-wanted' : 'migrated';
}

function planLeft(row: LedgerRow, input: PlanInput): RowPlan {
  const keys = [...new Set(row.copies.map((copy) => copy.key))];
  const base = { identity: row.identity, table: row.table, key: keys[0] ?? '', remove: [] };
  const stored = keys.flatMap((key) => {
    const hash = input.stored(row.table, key);
    return hash === undefined ? [] : [{ key, hash }];
  });
  const isTouched = ({ key, hash }: Copy): boolean =>
    ![hash, ...(input.unmigrated?.(row.table, key) ?? [])].some((one) => isOurs(key, one, row.copies));
  const edited = stored.some(isTouched);
  if (edited && !(input.prune && input.overwrite)) return { ...base, verdict: 'leftover-edited' };
  if (!input.prune) return { ...base, verdict: 'leftover' };
  return { ...base, verdict: 'pruned', remove: stored.map(({ key }) => key), confirmed: 'forget' };
}

function isOurs(key: string, hash: string, copies: readonly Copy[]): boolean {
  return copies.some((copy) => copy.key === key && copy.hash === hash);
}
