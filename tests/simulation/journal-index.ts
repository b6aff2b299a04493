import { readLedgerRecord } from '../../engine/core/ledger/ledger-codec.ts';
import type { JournalEntry } from '../../engine/core/migrate/journal.ts';
import { journalCodec } from '../../engine/local/journal-codec.ts';
import { journalEntries } from '../../engine/run/ledger/journal-entries.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { sameValue } from '../../tables/model/canonical.ts';
import { type PartRecord, partRecord } from '../../tables/model/ledger/journal-records.ts';
import { changedNames } from './item-history.ts';
import type { Mutation } from './simulated-server.ts';

/** The entries of all parts that are stored, by the items that they are about. */
export class JournalIndex {
  readonly #parts = new Map<string, { readonly places: readonly string[] }>();
  readonly #entries = new Map<string, Map<string, JournalEntry>>();
  /** Which item of which table an entry is about. */
  readonly #placeOf: (part: PartRecord, entry: JournalEntry) => string;

  constructor(placeOf: (part: PartRecord, entry: JournalEntry) => string) {
    this.#placeOf = placeOf;
  }

  /** A part as it is stored from now on; undefined when it is gone. */
  set(identity: string, item: Item | undefined): void {
    for (const place of this.#parts.get(identity)?.places ?? []) this.#entries.get(place)?.delete(identity);
    this.#parts.delete(identity);
    if (item === undefined) return;
    const part = readLedgerRecord(partRecord, item);
    const places = journalEntries(journalCodec, part).map(({ entry }) => {
      const place = this.#placeOf(part, entry);
      const known = this.#entries.get(place) ?? new Map<string, JournalEntry>();
      this.#entries.set(place, known.set(identity, entry));
      return place;
    });
    this.#parts.set(identity, { places });
  }

  /** The items that a part is about. */
  placesOf(identity: string): readonly string[] {
    return this.#parts.get(identity)?.places ?? [];
  }

  /** Does an entry know what the item was, and what it is about to become? */
  covers(mutation: Mutation): boolean {
    const entries = [...(this.#entries.get(`${mutation.table} ${mutation.identity}`)?.values() ?? [])];
    return entries.some((entry) => describes(entry, mutation));
  }
}

function describes(entry: JournalEntry, mutation: Mutation): boolean {
  const { before, after = {} } = mutation;
  if (entry.kind === 'insert')
    return before === undefined && Object.keys(after).every((name) => sameValue(entry.item[name], after[name]));
  return changedNames(mutation).every((name) => {
    const isSaid = Object.hasOwn(after, name) ? sameValue(entry.set[name], after[name]) : entry.removed.includes(name);
    return isSaid && sameValue(entry.before[name], before?.[name]);
  });
}
