import { attributeOf, type Item } from '../../../tables/model/attribute-value.ts';
import { canonicalItem, sameValue } from '../../../tables/model/canonical.ts';
import { type JournalEntry, undoOf } from '../../core/migrate/journal.ts';
import { journalEntries } from '../ledger/journal-entries.ts';
import { LedgerReader } from '../ledger/ledger-reader.ts';
import { isJournalled, journalsOf } from '../migrate/rollback/survey-journal.ts';
import type { SeedEnvironment } from './environment.ts';
import type { SeedLedger } from './seed-ledger.ts';

/** Rows of one table, by the canonical texts of their keys. */
export type RowsOfTable = ReadonlyMap<string, Item>;

/**
 * The hashes of what rows were before migrations changed them, by table and key: each change that the journal knows and that
 * still stands is taken back, the newest first. A row that somebody else has changed since gives nothing.
 */
export async function beforeMigrations(
  environment: Pick<SeedEnvironment, 'digest' | 'codec'>,
  ledger: SeedLedger,
  rows: ReadonlyMap<string, RowsOfTable>,
): Promise<(table: string, key: string) => readonly string[]> {
  const present = new Map([...rows].map(([table, own]) => [table, new Map(own)]));
  const hashes = new Map<string, string[]>();
  const nameOf = (table: string, key: string): string => `${table} ${key}`;
  for await (const { table, entry } of changesOf(environment, new LedgerReader(ledger.store), new Set(rows.keys()))) {
    const key = canonicalItem(entry.key);
    const item = present.get(table)?.get(key);
    const before = item === undefined ? undefined : takenBack(entry, item);
    if (before === undefined) continue;
    present.get(table)?.set(key, before);
    const known = hashes.get(nameOf(table, key)) ?? [];
    hashes.set(nameOf(table, key), [...known, environment.digest(canonicalItem(before))]);
  }
  return (table, key) => hashes.get(nameOf(table, key)) ?? [];
}

/** What migrations have done to the tables, the newest first. Journals of before format 2 do not say to which, and are left out. */
async function* changesOf({ codec }: Pick<SeedEnvironment, 'codec'>, reader: LedgerReader, tables: ReadonlySet<string>) {
  const states = (await reader.states())
    .filter(({ state }) => state !== 'rolled-back')
    .toSorted((a, b) => (a.id < b.id ? 1 : -1));
  for (const { id } of states) {
    const steps = (await reader.steps(id)).filter((step) => isJournalled(step) && tables.has(step.table ?? ''));
    for (const step of steps.toSorted((a, b) => b.generation - a.generation || b.step - a.step)) {
      for (const journal of journalsOf(step)) {
        for await (const part of reader.parts(journal)) {
          if (!('table' in part)) continue;
          const entries = journalEntries(codec, part).toReversed();
          for (const { entry } of entries) yield { table: part.table, entry };
        }
      }
    }
  }
}

/** The item as it was; undefined when it is no longer what the change made of it. */
function takenBack(entry: JournalEntry, item: Item): Item | undefined {
  if (entry.kind === 'insert') return undefined;
  const { set, remove, guard } = undoOf(entry);
  const stands = Object.entries(guard).every(([name, value]) => sameValue(attributeOf(item, name), value));
  if (!stands) return undefined;
  const kept = Object.entries(item).filter(([name]) => !remove.includes(name));
  return Object.fromEntries([...kept, ...Object.entries(set)]);
}
