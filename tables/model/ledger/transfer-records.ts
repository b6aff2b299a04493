import * as z from 'zod';
import { choice, integer, isoTime, jsonText, note, text } from '../attributes.ts';
import type { RecordOf } from '../entity.ts';
import { defineLedgerEntity } from './ledger-entity.ts';
import { ledgerKeys } from './ledger-keys.ts';

const count = () => z.number().int().min(0);

/** How far an import got: files before `done` are dealt with whole; of the open ones, so many lines. */
const position = z.object({
  done: count(),
  open: z.array(z.object({ file: count(), lines: count(), whole: z.boolean() })),
});

export const importRecord = defineLedgerEntity({
  name: 'IMPORT',
  description: 'How far an import of an export into a table got',
  key: ledgerKeys.import,
  inKey: { table: text(), identity: text() },
  attributes: {
    source: note(),
    options: note(),
    state: choice('running', 'interrupted', 'incomplete', 'failed', 'complete'),
    /** Raised by whoever takes the import over. */
    token: integer(),
    /** Raised with every checkpoint: shows that its run lives. */
    beat: integer(),
    position: jsonText(position),
    lines: integer(),
    written: integer(),
    skipped: integer(),
    deadLettered: integer(),
    updatedAt: isoTime(),
  },
});

export const exportSegmentRecord = defineLedgerEntity({
  name: 'EXPORT_SEGMENT',
  description: 'How far a segment of a masked export got',
  key: ledgerKeys.exportSegment,
  inKey: { table: text(), export: text(), segment: integer() },
  attributes: { progress: note() },
});

/** Counts only: neither whose records they were nor what they held. */
export const erasureRecord = defineLedgerEntity({
  name: 'ERASURE',
  description: 'How many records of a person were removed, without saying whose',
  key: ledgerKeys.erasure,
  inKey: { at: text(), id: text() },
  attributes: {
    state: choice('running', 'interrupted', 'complete'),
    by: note(),
    removed: jsonText(z.record(z.string(), count())),
    left: integer(),
    updatedAt: isoTime(),
  },
});

export const bulkImportRecord = defineLedgerEntity({
  name: 'BULK_IMPORT',
  description: 'A bulk put of an export into a table, run by DynamoDB',
  key: ledgerKeys.bulkImport,
  inKey: { table: text(), identity: text() },
  attributes: {
    source: note(),
    options: note(),
    /** `starting`: DynamoDB may have been asked; whether it has begun is to be found out by the token. */
    state: choice('staging', 'staged', 'starting', 'running', 'ended'),
    /** Raised with every change: two runs of one import do not both go on. */
    version: integer(),
    clientToken: text(),
    bucket: text(),
    /** Ends with a slash; `input/` and `output/` lie in it. Whoever stages takes another one. */
    prefix: text(),
    rejected: integer(),
    /** Lines of DynamoDB's reports, once it has ended. */
    reported: integer().optional(),
    /** When the token was used first. */
    startedAt: isoTime().optional(),
    arn: text().optional(),
    status: text().optional(),
    updatedAt: isoTime(),
  },
});

export type ErasureRecord = RecordOf<typeof erasureRecord>;
export type BulkImportRecord = RecordOf<typeof bulkImportRecord>;
export type ImportRecord = RecordOf<typeof importRecord>;
export type ImportState = ImportRecord['state'];
export type ImportPosition = Readonly<z.output<typeof position>>;
