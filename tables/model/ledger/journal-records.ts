import { z } from 'zod';
import { bytes, integer, text } from '../attributes.ts';
import type { RecordOf } from '../entity.ts';
import { defineLedgerEntity } from './ledger-entity.ts';
import { ledgerKeys } from './ledger-keys.ts';

const segment = { migration: text(), step: integer(), segment: integer() };
/** A runner in one attempt at a segment; each numbers its own parts. */
const writer = { generation: integer(), token: integer(), attempt: integer() };

export const partRecord = defineLedgerEntity({
  name: 'JOURNAL_PART',
  description: 'A part of what is about to be written to a table, with what was there, packed',
  key: ledgerKeys.journalPart,
  format: 2,
  inKey: { ...segment, ...writer, sequence: integer() },
  attributes: {
    /** The table's base name. */
    table: text(),
    entries: bytes(),
    /** Entries in it, and in the parts that its writer wrote before it. */
    count: integer(),
    before: integer(),
    /** Places of entries that were not carried out after all. */
    skipped: z.array(integer()).optional(),
  },
});

export const headRecord = defineLedgerEntity({
  name: 'JOURNAL_HEAD',
  description: 'How much a writer of a journal has written: what is missing is missed',
  key: ledgerKeys.journalHead,
  format: 2,
  inKey: { ...segment, ...writer },
  attributes: {
    parts: integer(),
    entries: integer(),
    /** What a rollback has left of them. */
    left: z.object({ parts: integer(), entries: integer() }).optional(),
    /** The last writer before this one, and what it had written. */
    after: z.object({ token: integer(), attempt: integer(), parts: integer(), entries: integer() }).optional(),
  },
});

/** A part as versions before format 2 wrote it: its table is what the migration's file says. */
export const chunkRecord = defineLedgerEntity({
  name: 'JOURNAL_CHUNK',
  description: 'A part of a journal of an earlier version',
  key: ledgerKeys.journalChunk,
  inKey: segment,
  attributes: {
    generation: integer(),
    token: integer(),
    sequence: integer(),
    entries: bytes(),
    skipped: z.array(integer()).optional(),
  },
});

export type PartRecord = RecordOf<typeof partRecord>;
export type HeadRecord = RecordOf<typeof headRecord>;
export type ChunkRecord = RecordOf<typeof chunkRecord>;
/** A part of a journal, of whichever version. */
export type JournalPart = PartRecord | ChunkRecord;
