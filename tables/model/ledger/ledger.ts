import { defineTable } from '../table.ts';
import { cutoverEvent, cutoverState, shadowCounts, shadowDifference } from './cutover-records.ts';
import { chunkRecord, headRecord, partRecord } from './journal-records.ts';
import type { LedgerEntity } from './ledger-entity.ts';
import { claimRecord, lockRecord, pauseRecord, stopRecord } from './lock-records.ts';
import {
  deadLetterRecord,
  eventRecord,
  executionRecord,
  liveRecord,
  segmentRecord,
  stateRecord,
  stepRecord,
  timelineRecord,
  unitRecord,
} from './migration-records.ts';
import { seedRow, seedSet, seedVolume } from './seed-records.ts';
import { bulkImportRecord, erasureRecord, exportSegmentRecord, importRecord } from './transfer-records.ts';

/** Of each record: the version of its kind's form. */
export const formatAttribute = 'format';

/** Every kind of record. */
export const ledgerEntities: readonly LedgerEntity[] = [
  lockRecord,
  pauseRecord,
  stopRecord,
  claimRecord,
  stateRecord,
  stepRecord,
  segmentRecord,
  unitRecord,
  deadLetterRecord,
  eventRecord,
  timelineRecord,
  liveRecord,
  partRecord,
  headRecord,
  chunkRecord,
  executionRecord,
  seedSet,
  seedRow,
  seedVolume,
  cutoverState,
  cutoverEvent,
  shadowCounts,
  shadowDifference,
  importRecord,
  exportSegmentRecord,
  erasureRecord,
  bulkImportRecord,
];

/** The toolkit's own records of a stack: what was applied, by whom, how far it got, and who holds the lock. */
export const ledger = defineTable({
  name: 'tablewright-ledger',
  system: 'tablewright',
  namespace: 'tablewright.ledger',
  description: 'Migrations, seeds, locks and cut-over states of this stack',
  hash: 'PK',
  range: 'SK',
  entities: ledgerEntities,
});
