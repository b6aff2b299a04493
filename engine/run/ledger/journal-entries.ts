import { chunkRecord, type JournalPart, partRecord } from '../../../tables/model/ledger/journal-records.ts';
import { ledgerKey } from '../../core/ledger/ledger-codec.ts';
import { damagedLedger } from '../../core/ledger/ledger-errors.ts';
import { type JournalEntry, parseEntries } from '../../core/migrate/journal.ts';
import type { JournalCodec } from '../migrate/environment.ts';

export interface PlacedEntry {
  /** Its place in the part. */
  readonly at: number;
  readonly entry: JournalEntry;
}

/** The entries of a part that count: those that were carried out, or may have been. */
export function journalEntries(codec: Pick<JournalCodec, 'unpack'>, part: JournalPart): readonly PlacedEntry[] {
  const skipped = new Set(part.skipped ?? []);
  const entries = unpacked(codec, part.entries);
  if (entries !== undefined && isWhole(part, entries.length)) {
    return entries.map((entry, at) => ({ at, entry })).filter(({ at }) => !skipped.has(at));
  }
  const key = 'attempt' in part ? ledgerKey(partRecord, part) : ledgerKey(chunkRecord, part);
  throw damagedLedger([{ item: key, problems: ['entries: cannot be unpacked'] }]);
}

export function isWhole(part: JournalPart, entries: number): boolean {
  return !('count' in part) || part.count === entries;
}

/** Undefined when the bytes are no journal. */
export function unpacked(codec: Pick<JournalCodec, 'unpack'>, bytes: Uint8Array): readonly JournalEntry[] | undefined {
  try {
    return parseEntries(codec.unpack(bytes));
  } catch {
    // Whatever the unpacker says of bytes that it did not pack.
    return undefined;
  }
}
