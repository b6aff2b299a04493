import * as z from 'zod';
import { choice, integer, isoTime, measure, note, text } from '../attributes.ts';
import type { RecordOf } from '../entity.ts';
import { defineLedgerEntity } from './ledger-entity.ts';
import { ledgerKeys } from './ledger-keys.ts';

const readState = () => choice('scan', 'shadow', 'query');

/** What a change rests on: the parity that was found. */
const evidence = z.object({
  values: integer(),
  records: integer(),
  settled: integer(),
  scanUnits: measure(),
  queryUnits: measure(),
  /** Milliseconds of one read each way; left out where the time was not taken, and by earlier versions. */
  scanMs: measure().optional(),
  queryMs: measure().optional(),
});

export const cutoverState = defineLedgerEntity({
  name: 'CUTOVER_STATE',
  description: 'How readers get a pattern’s records on this stack',
  key: ledgerKeys.cutoverState,
  inKey: { pattern: text() },
  attributes: {
    state: readState(),
    /** The part of reads that shadow tries, from 0 to 1. */
    share: measure(),
    /** Grows by one with every change. */
    version: integer(),
    changedAt: isoTime(),
    changedBy: note(),
    evidence: evidence.optional(),
    /** The index that it was proven for; left out for the table's own key, and by earlier versions. */
    index: text().optional(),
  },
});

export const cutoverEvent = defineLedgerEntity({
  name: 'CUTOVER_EVENT',
  description: 'A change of a pattern’s state',
  key: ledgerKeys.cutoverEvent,
  inKey: { pattern: text(), version: integer() },
  attributes: {
    from: readState(),
    to: readState(),
    at: isoTime(),
    by: note(),
    share: measure(),
    evidence: evidence.optional(),
    index: text().optional(),
  },
});

export const shadowCounts = defineLedgerEntity({
  name: 'SHADOW_COUNTS',
  description: 'What shadow reads have found since the state of this version began',
  key: ledgerKeys.shadowCounts,
  inKey: { pattern: text(), version: integer() },
  // Each is there from its first count on.
  attributes: {
    reads: integer().optional(),
    differing: integer().optional(),
    failures: integer().optional(),
    scanUnits: measure().optional(),
    queryUnits: measure().optional(),
    lastAt: isoTime(),
  },
});

export const shadowDifference = defineLedgerEntity({
  name: 'SHADOW_DIFFERENCE',
  description: 'The last difference that shadow reads found at a record',
  key: ledgerKeys.shadowDifference,
  inKey: { pattern: text(), version: integer() },
  attributes: {
    key: text(),
    kind: text(),
    value: z.record(z.string(), z.string()),
    cause: text(),
    detail: note(),
    at: isoTime(),
  },
});

/** The state of a pattern in a stack. */
export type PatternState = RecordOf<typeof cutoverState>;
/** How readers get a pattern's records: as ever, as ever with the query tried beside it, or by the query. */
export type ReadState = PatternState['state'];
export type CutoverEvidence = NonNullable<PatternState['evidence']>;
export type ShadowCounts = RecordOf<typeof shadowCounts>;
