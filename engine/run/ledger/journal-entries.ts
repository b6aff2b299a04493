import { type ChunkRecord, chunkRecord } from '../../../tables/tablewright/migration-records.ts';
import { ledgerKey } from '../../core/ledger/ledger-codec.ts';
import { damagedLedger } from '../../core/ledger/ledger-errors.ts';
import { type JournalEntry, parseEntries } from '../../core/migrate/journal.ts';
import type { JournalCodec } from '../migrate/environment.ts';

/** The entries of a chunk that count: those that were carried out, or may have been. */
export function journalEntries(codec: Pick<JournalCodec, 'unpack'>, chunk: ChunkRecord): readonly JournalEntry[] {
  const skipped = new Set(chunk.skipped ?? []);
  const entries = unpacked(codec, chunk.entries);
  if (entries !== undefined) return entries.filter((_, at) => !skipped.has(at));
  throw damagedLedger([{ item: ledgerKey(chunkRecord, chunk), problems: ['entries: cannot be unpacked'] }]);
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
