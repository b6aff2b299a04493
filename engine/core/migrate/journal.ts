import { attributeOf, type Item } from '../../../tables/model/attribute-value.ts';
import { sameValue } from '../../../tables/model/canonical.ts';
import type { HeadRecord, JournalPart } from '../../../tables/model/ledger/journal-records.ts';
import { chunkRecord, headRecord, partRecord } from '../../../tables/model/ledger/journal-records.ts';
import type { PartPlace } from '../../../tables/model/ledger/migration-records.ts';
import { fromJsonItem, isTexts, type JsonItem, toJsonItem } from '../item/dynamo-json.ts';
import { type LedgerWrite, put, remove, setMembers } from '../ledger/ledger-write.ts';
import type { Guard, GuardedChange, Update } from './decide-item.ts';

/** What is about to be written to one item. */
export type JournalEntry =
  | {
      readonly kind: 'update';
      readonly key: Item;
      readonly before: Item;
      readonly set: Item;
      readonly removed: readonly string[];
    }
  | { readonly kind: 'insert'; readonly key: Item; readonly item: Item };

/** Bytes of a packed part: below DynamoDB's 400 KB for an item (Developer Guide, "Quotas"), with room for its keys. */
export const maxPartBytes = 350 * 1_024;

export function journalEntryOf(change: GuardedChange): JournalEntry {
  if (change.kind === 'insert') return { kind: 'insert', key: change.key, item: change.item };
  return { kind: 'update', key: change.key, before: change.before, set: change.set, removed: change.remove };
}

type Line = readonly ['u', JsonItem, JsonItem, JsonItem, readonly string[]] | readonly ['i', JsonItem, JsonItem];

export function printEntries(entries: readonly JournalEntry[]): string {
  const lines = entries.map((entry): Line => {
    if (entry.kind === 'insert') return ['i', toJsonItem(entry.key), toJsonItem(entry.item)];
    return ['u', toJsonItem(entry.key), toJsonItem(entry.before), toJsonItem(entry.set), entry.removed];
  });
  return JSON.stringify(lines);
}

/** Undefined when the text is no journal. */
export function parseEntries(text: string): readonly JournalEntry[] | undefined {
  const lines: unknown = JSON.parse(text);
  if (!Array.isArray(lines)) return undefined;
  const entries = lines.map(parseLine).filter((entry) => entry !== undefined);
  return entries.length === lines.length ? entries : undefined;
}

function parseLine(line: unknown): JournalEntry | undefined {
  if (!Array.isArray(line)) return undefined;
  const [kind, ...parts] = line as unknown[];
  const key = fromJsonItem(parts[0]);
  const second = fromJsonItem(parts[1]);
  if (key === undefined || second === undefined) return undefined;
  if (kind === 'i') return { kind: 'insert', key, item: second };
  const set = fromJsonItem(parts[2]);
  const removed = parts[3];
  if (kind !== 'u' || set === undefined || !isTexts(removed)) return undefined;
  return { kind: 'update', key, before: second, set, removed };
}

/** The update that gives an item its old values back, if every attribute is still what was set. */
export function undoOf(entry: Extract<JournalEntry, { readonly kind: 'update' }>): Omit<Update, 'kind' | 'before'> {
  const removed = entry.removed.map((name) => [name, undefined] as const);
  const guard: Guard = Object.fromEntries([...Object.entries(entry.set), ...removed]);
  const remove = Object.keys(entry.set).filter((name) => !Object.hasOwn(entry.before, name));
  return { key: entry.key, set: entry.before, remove, guard };
}

/** Is the item as it was before the entry was carried out? Then there is nothing to undo, or it was undone. */
export function isAsBefore(entry: JournalEntry, now: Item | undefined): boolean {
  if (entry.kind === 'insert') return now === undefined;
  if (now === undefined) return false;
  const touched = [...Object.keys(entry.set), ...entry.removed];
  return touched.every((name) => sameValue(attributeOf(now, name), attributeOf(entry.before, name)));
}

export function placeOfPart(part: JournalPart): PartPlace {
  const { token, sequence } = part;
  return 'attempt' in part ? { token, attempt: part.attempt, sequence } : { token, sequence };
}

export const samePlace = (a: PartPlace, b: PartPlace | undefined): boolean =>
  a.token === b?.token && a.attempt === b.attempt && a.sequence === b.sequence;

/** These of its entries were not carried out. */
export function markSkipped(part: JournalPart, skipped: readonly number[]): LedgerWrite {
  const marks = { skipped: [...skipped] };
  return 'attempt' in part ? setMembers(partRecord, part, marks) : setMembers(chunkRecord, part, marks);
}

/**
 * All of it is settled: it goes, and its writer's head says what is left. A head that is missing stays missing: half of one would be
 * a damaged record, and a whole one would no longer tell that nobody knows what is missing behind its parts.
 */
export function removePart(part: JournalPart, heads: readonly HeadRecord[]): readonly LedgerWrite[] {
  if (!('attempt' in part)) return [remove(chunkRecord, part)];
  const head = heads.find(({ token, attempt }) => token === part.token && attempt === part.attempt);
  const left = { parts: part.sequence, entries: part.before };
  return [remove(partRecord, part), ...(head === undefined ? [] : [put(headRecord, { ...head, left })])];
}
