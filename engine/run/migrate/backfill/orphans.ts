import { keyIdentity } from '../../../../tables/model/canonical.ts';
import type { JournalPart } from '../../../../tables/model/ledger/journal-records.ts';
import type { PartPlace, SegmentRecord } from '../../../../tables/model/ledger/migration-records.ts';
import type { KeySchema } from '../../../../tables/model/table.ts';
import type { LedgerWrite } from '../../../core/ledger/ledger-write.ts';
import { type JournalEntry, markSkipped, placeOfPart, printEntries } from '../../../core/migrate/journal.ts';
import { journalEntries } from '../../ledger/journal-entries.ts';
import type { PassContext } from './pass-context.ts';

interface OrphanedPart {
  readonly part: JournalPart;
  /** Places of entries that were not carried out, or that a newer entry says again. */
  readonly skipped: Set<number>;
  marked: boolean;
  /** Entries whose item was not met yet. */
  open: number;
}

interface Orphan {
  readonly of: OrphanedPart;
  readonly at: number;
  /** Equal entries have equal texts. */
  readonly text: string;
}

/**
 * What earlier runs journalled behind the last checkpoint, and so may have carried out. Each of their items is met again: then
 * it is known which of its entries stands.
 */
export class Orphans {
  readonly #key: KeySchema;
  readonly #parts: OrphanedPart[] = [];
  readonly #byItem = new Map<string, Orphan[]>();

  constructor(key: KeySchema) {
    this.#key = key;
  }

  /** The next part, in the order in which they were written. */
  add(part: JournalPart, entries: ReturnType<typeof journalEntries>): void {
    const of: OrphanedPart = { part, skipped: new Set(part.skipped ?? []), marked: false, open: entries.length };
    this.#parts.push(of);
    for (const { at, entry } of entries) {
      const identity = keyIdentity(this.#key, entry.key);
      this.#byItem.set(identity, [...(this.#byItem.get(identity) ?? []), { of, at, text: printEntries([entry]) }]);
    }
  }

  /** By `keyIdentity` of the item that would have been written. */
  has(identity: string): boolean {
    return this.#byItem.size > 0 && this.#byItem.has(identity);
  }

  /**
   * The item's fate is known. One change has one entry: the one under which this run has written it (`own`), else the newest;
   * older ones that say the same are marked.
   */
  meet(identity: string, own?: JournalEntry): void {
    const known = this.#byItem.get(identity);
    if (known === undefined) return;
    const standing = own === undefined ? known.at(-1)?.text : printEntries([own]);
    const older = own === undefined ? known.slice(0, -1) : known;
    for (const { of, at, text } of older) {
      if (text !== standing) continue;
      of.skipped.add(at);
      of.marked = true;
    }
    for (const { of } of known) of.open -= 1;
    this.#byItem.delete(identity);
  }

  /** The first part with items that were not met yet. */
  get place(): PartPlace | undefined {
    const first = this.#parts.find(({ open }) => open > 0);
    return first === undefined ? undefined : placeOfPart(first.part);
  }

  /** To go with the next checkpoint. */
  takeMarks(): readonly LedgerWrite[] {
    const marked = this.#parts.filter((part) => part.marked);
    for (const part of marked) part.marked = false;
    return marked.map(({ part, skipped }) => markSkipped(part, [...skipped]));
  }
}

/** The orphans of a segment that is gone on with, or begins although there is a journal of it. */
export async function readOrphans(
  { environment, reader, step }: Pick<PassContext, 'environment' | 'reader' | 'step'>,
  record: SegmentRecord,
  resumed: boolean,
): Promise<Orphans> {
  const orphans = new Orphans(step.table.key);
  const { token, attempt, chunks } = record;
  const last: PartPlace = attempt === undefined ? { token, sequence: chunks } : { token, attempt, sequence: chunks };
  const place = resumed ? (record.orphans ?? last) : { token: 0, sequence: 0 };
  for await (const part of reader.partsFrom(record, place)) orphans.add(part, journalEntries(environment.codec, part));
  return orphans;
}
