import type { Item } from '../../../../tables/model/attribute-value.ts';
import { canonicalItem, keyIdentity } from '../../../../tables/model/canonical.ts';
import { TablewrightError } from '../../../../tables/model/error.ts';
import { showKey } from '../../../../tables/model/item.ts';
import type { JournalPart } from '../../../../tables/model/ledger/journal-records.ts';
import { physicalName } from '../../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../../tables/model/table.ts';
import { changeUnits } from '../../../core/migrate/change-units.ts';
import { addUnits, type ConsumedUnits, type Counts, noCounts, noUnits } from '../../../core/migrate/counts.ts';
import { isAsBefore, type JournalEntry, undoOf } from '../../../core/migrate/journal.ts';
import { changeEntry, takeBackEntry, updateStatement } from '../../../core/migrate/statement.ts';
import { journalEntries } from '../../ledger/journal-entries.ts';
import { batchGetAll } from '../../store/read-keys.ts';
import { untilStopped } from '../../store/until-stopped.ts';
import { PassMeter } from '../backfill/pass-context.ts';
import { type ChangeResult, type GuardedWrite, writeChanges } from '../backfill/write-changes.ts';
import { readContextOf } from '../environment.ts';
import type { StepContext } from '../run-context.ts';

export interface UndonePart {
  readonly counts: Counts;
  readonly units: ConsumedUnits;
  /** Keys of items that somebody has changed since. */
  readonly kept: readonly string[];
}

type Fate = 'changed' | 'right' | 'gone' | 'kept';

/**
 * Undoes the entries of a part wherever the values are still the ones that were set. `begun`: an earlier run was at it, so what is
 * as it was before may be that run's work. Undefined when it was stopped before all of it was settled.
 */
export async function undoPart(
  run: StepContext,
  table: Table,
  part: JournalPart,
  begun: boolean,
): Promise<UndonePart | undefined> {
  const { environment, ledger, stop } = run;
  const tableName = physicalName(table, environment.config);
  const all = journalEntries(environment.codec, part).map(({ entry }) => entry);
  const touched = await touchedSince(run, table, tableName, all);
  if (touched === undefined) return undefined;
  const entries = all.filter((entry) => !touched.entries.has(entry));
  let units = addUnits(noUnits, { read: touched.units });
  const onSent: Parameters<typeof writeChanges>[0]['onSent'] = (cost, estimate) => {
    units = addUnits(units, { write: PassMeter.writeUnits(cost, estimate) });
  };
  const context = { environment, table, tableName, lease: ledger.lease, stop, onSent };
  const results = await writeChanges(
    context,
    entries.map((entry) => undoWrite(table, tableName, entry)),
  );
  if (results.some(({ kind }) => kind === 'unsent' || kind === 'unknown')) return undefined;
  refuseDead(run.id, tableName, table, entries, results);
  const unseen = entries.filter((_, at) => isUnseen(results[at])).map(({ key }) => key);
  const wanted = { table: { name: tableName, key: table.key }, keys: unseen, consistent: true };
  const present = await untilStopped(batchGetAll(readContextOf(environment), wanted, stop), stop);
  if (present === undefined) return undefined;
  const fates = entries.map((entry, at) => {
    const result = results[at];
    const item = result?.kind === 'refused' ? result.item : undefined;
    return fateOf(entry, result, item ?? present.items.get(keyIdentity(table.key, entry.key)), begun);
  });
  const kept = [...entries.filter((_, at) => fates[at] === 'kept'), ...touched.entries].map(({ key }) => showKey(table, key));
  const counts = countsOf([...fates, ...[...touched.entries].map(() => 'kept' as const)]);
  return { counts, units: addUnits(units, { read: present.units }), kept };
}

/** Inserted items that somebody has given something else since: they stay, whatever else they hold. Undefined when it was stopped. */
async function touchedSince({ environment, stop }: StepContext, table: Table, tableName: string, all: readonly JournalEntry[]) {
  const inserts = all.filter((entry) => entry.kind === 'insert');
  const wanted = { table: { name: tableName, key: table.key }, keys: inserts.map(({ key }) => key), consistent: true };
  const found = await untilStopped(batchGetAll(readContextOf(environment), wanted, stop), stop);
  if (found === undefined) return undefined;
  const differing = inserts.filter(({ key, item }) => {
    const there = found.items.get(keyIdentity(table.key, key));
    return there !== undefined && canonicalItem(there) !== canonicalItem(item);
  });
  return { entries: new Set<JournalEntry>(differing), units: found.units };
}

const isUnseen = (result: ChangeResult | undefined): boolean => result?.kind === 'refused' && result.item === undefined;

function fateOf(entry: JournalEntry, result: ChangeResult | undefined, now: Item | undefined, begun: boolean): Fate {
  if (result?.kind !== 'refused') return 'changed';
  // Undone by an earlier run, or by an earlier try of this one; else the change was never made.
  if (isAsBefore(entry, now)) return begun || result.again ? 'changed' : 'right';
  return now === undefined ? 'gone' : 'kept';
}

function countsOf(fates: readonly Fate[]): Counts {
  const counts: Record<Fate, number> = { changed: 0, right: 0, gone: 0, kept: 0 };
  for (const fate of fates) counts[fate] += 1;
  return { ...noCounts, ...counts, scanned: fates.length };
}

function undoWrite(table: Table, tableName: string, entry: JournalEntry): GuardedWrite {
  if (entry.kind === 'insert') return { units: 2, form: { entries: [takeBackEntry(table, tableName, entry.key, entry.item)] } };
  const undo = undoOf(entry);
  const units = changeUnits(table, { ...undo, kind: 'update', before: entry.set }, 0);
  const statement = updateStatement(tableName, undo);
  return { units, form: statement === undefined ? { entries: [changeEntry(tableName, undo)] } : { statement } };
}

function refuseDead(
  id: string,
  tableName: string,
  table: Table,
  entries: readonly JournalEntry[],
  results: readonly ChangeResult[],
): void {
  const problems = results.flatMap((result, at) => {
    if (result.kind !== 'dead') return [];
    return [`${tableName} ${showKey(table, entries[at]?.key ?? {})}: ${result.reason}`];
  });
  if (problems.length === 0) return;
  throw new TablewrightError('STORE_FAILED', `${id}: items could not be put back`, {
    problems: problems.slice(0, maxShownProblems),
    next: "Run 'tablewright rollback' again; it goes on where it stopped.",
  });
}

const maxShownProblems = 10;
