import type { Item } from '../../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../../tables/model/canonical.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { itemOfText } from '../../core/item/dynamo-json.ts';
import { resolveRows } from '../../core/seed/check-rows.ts';
import type { DeclaredRow } from '../../core/seed/declared-record.ts';
import { type LedgerRow, planSeed, type RowPlan, strangeRows, type WantedRow } from '../../core/seed/plan-seed.ts';
import type { ResolvedRow } from '../../core/seed/resolve-row.ts';
import { isAnchorSpent } from '../../core/seed/seed-anchor.ts';
import { countVerdicts, type VerdictCounts } from '../../core/seed/seed-event.ts';
import { beforeMigrations, type RowsOfTable } from './before-migrations.ts';
import { type LoadOutcome, type LoadWish, type SeedEnvironment, writeTable, writeTables } from './environment.ts';
import { readStored } from './read-stored.ts';
import { refuseProduction } from './refuse-production.ts';
import { SeedLedger } from './seed-ledger.ts';
import { writePlan } from './write-plan.ts';

export interface LoadSetOptions extends LoadWish {
  readonly name: string;
  readonly times: 'follow' | 'once';
  /** As read from the files, checked before. */
  readonly declared: readonly DeclaredRow[];
}

export interface SetReport {
  readonly set: string;
  readonly outcome: LoadOutcome;
  /** Of the rows that are stored as it says; in a dry run, of those that would be. */
  readonly counts: VerdictCounts;
  /** Rows that were to be written and are not, or not wholly. */
  readonly notWritten: number;
  readonly kept: readonly { readonly table: string; readonly key: string; readonly verdict: RowPlan['verdict'] }[];
  /** Rows put or deleted, and units they took, ledger included. */
  readonly written: number;
  readonly units: number;
  readonly deadLettered: number;
}

/** Brings the rows of a set into the stack: looks, plans, writes. See docs/design/seeds.md. */
export async function loadSet(environment: SeedEnvironment, options: LoadSetOptions, signal?: AbortSignal): Promise<SetReport> {
  refuseProduction(environment.config);
  const ledger = new SeedLedger(environment, options.name);
  const rows = await settleTimes(environment, ledger, options, signal);
  const wanted = wantedRows(environment, options, rows);
  const known = await ledger.rows(signal);
  const items = await storedItems(environment, wanted, known, signal);
  const stored = (table: string, key: string): string | undefined => {
    const item = items.get(table)?.get(key);
    return item === undefined ? undefined : environment.digest(canonicalItem(item));
  };
  const input = { ...options, wanted, ledger: known, stored };
  const suspects = strangeRows(input);
  const unmigrated = suspects.length === 0 ? undefined : await beforeMigrations(environment, ledger, only(items, suspects));
  const plan = planSeed({ ...input, unmigrated });
  const planned = countVerdicts(plan.map((row) => row.verdict));
  environment.emit({ kind: 'set-planned', set: options.name, rows: wanted.length, counts: planned });
  const kept = plan.filter(isKept).map(({ table, key, verdict }) => ({ table, key: showKeyText(key), verdict }));
  for (const row of kept) environment.emit({ kind: 'kept', set: options.name, ...row });
  const base = { set: options.name, kept };
  if (options.dryRun) {
    return { ...base, counts: planned, notWritten: 0, outcome: 'planned', written: 0, units: 0, deadLettered: 0 };
  }
  if ((planned.pruned ?? 0) > 0) await options.confirmPrune?.(planned.pruned ?? 0);
  const { open, ...result } = await writePlan(environment, ledger, options.name, plan, signal);
  const counts = countVerdicts(plan.filter((row) => !open.has(row)).map((row) => row.verdict));
  return { ...base, ...result, counts, notWritten: open.size };
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

/** The rows with their times, counted from the set's anchor; moves the anchor when it is due. */
async function settleTimes(
  environment: SeedEnvironment,
  ledger: SeedLedger,
  { declared, times, dryRun }: LoadSetOptions,
  signal?: AbortSignal,
): Promise<readonly ResolvedRow[]> {
  const nowSeconds = environment.nowSeconds();
  const former = await ledger.anchor(signal);
  if (former !== undefined) {
    const rows = resolved(declared, former);
    if (times === 'once' || !isAnchorSpent(rows, former, nowSeconds)) return rows;
  }
  return resolved(declared, dryRun ? nowSeconds : await ledger.takeAnchor(former, nowSeconds, signal));
}

function resolved(declared: readonly DeclaredRow[], anchor: number): readonly ResolvedRow[] {
  const { rows, problems } = resolveRows(declared, anchor);
  if (problems.length === 0) return rows;
  throw new TablewrightError('BAD_SEED', 'the fixtures do not hold', {
    problems,
    next: 'Correct the files that the lines name.',
  });
}

/** A moment to read `now` as when only the identity of a row matters. */
const identityAnchor = 1_000_000_000;

function wantedRows(
  environment: SeedEnvironment,
  { declared }: LoadSetOptions,
  rows: readonly ResolvedRow[],
): readonly WantedRow[] {
  const fixed = resolved(declared, identityAnchor);
  return rows.map((row, at) => {
    const identified = fixed[at] ?? row;
    return {
      identity: environment.digest(`${row.table.name} ${canonicalItem(identified.key)}`).slice(0, 32),
      table: row.table,
      key: canonicalItem(row.key),
      hash: environment.digest(canonicalItem(row.item)),
      item: row.item,
    };
  });
}

async function storedItems(
  environment: SeedEnvironment,
  wanted: readonly WantedRow[],
  known: ReadonlyMap<string, LedgerRow>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, RowsOfTable>> {
  const keys = new Map<string, Set<string>>();
  const add = (table: string, key: string) => {
    const own = keys.get(table) ?? new Set<string>();
    keys.set(table, own.add(key));
  };
  for (const row of wanted) add(row.table.name, row.key);
  for (const row of known.values()) for (const copy of row.copies) add(row.table, copy.key);
  const tables = writeTables(environment);
  const items = new Map<string, RowsOfTable>();
  for (const [name, texts] of keys) {
    const table = writeTable(tables, name, environment.config.stack);
    items.set(name, await readStored(environment, table, [...texts].map(itemOfText), signal));
  }
  return items;
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

/** A key as people read it. */
function showKeyText(text: string): string {
  return Object.values(itemOfText(text))
    .map((value) => Object.values(value).join())
    .join(' / ');
}
