import type { Item } from '../../../tables/model/attribute-value.ts';
import { cutoverEvent, cutoverState, shadowCounts, shadowDifference } from '../../../tables/model/ledger/cutover-records.ts';
import { chunkRecord, headRecord, partRecord } from '../../../tables/model/ledger/journal-records.ts';
import type { LedgerEntity } from '../../../tables/model/ledger/ledger-entity.ts';
import { claimRecord, pauseRecord, stopRecord } from '../../../tables/model/ledger/lock-records.ts';
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
} from '../../../tables/model/ledger/migration-records.ts';
import { seedRow, seedSet, seedVolume } from '../../../tables/model/ledger/seed-records.ts';
import {
  bulkImportRecord,
  erasureRecord,
  exportSegmentRecord,
  importRecord,
} from '../../../tables/model/ledger/transfer-records.ts';
import { initialState } from '../cutover/state-record.ts';
import { hasKeyOf, salvage } from './ledger-codec.ts';
import {
  type MigrationFacts,
  mendChunk,
  mendDeadLetter,
  mendHead,
  mendPart,
  mendSegment,
  mendState,
  mendStep,
} from './mend-migration.ts';
import { dropped, type Mending, rebuilt } from './mending.ts';
import type { DamagedRecord } from './survey.ts';

type Mend = (item: Item, facts: MigrationFacts) => Mending;

/** What is done for each kind. The lock is not among them: it is replaced before anything else is looked at. */
const mends: ReadonlyMap<LedgerEntity, Mend> = new Map<LedgerEntity, Mend>([
  [pauseRecord, mendPause],
  [stopRecord, (item) => dropped(item, "whoever was to stop goes on; 'tablewright stop' asks again")],
  // Its journal keeps apart what two wrote: a claim that begins anew does so under a larger token, for no run holds the lock now.
  [claimRecord, (item) => dropped(item, 'the next worker at that unit claims it anew')],
  [executionRecord, (item) => dropped(item, 'the next execution writes its own')],
  [stateRecord, mendState],
  [stepRecord, mendStep],
  [segmentRecord, (item, facts) => mendSegment(item, facts, segmentRecord)],
  [unitRecord, (item, facts) => mendSegment(item, facts, unitRecord)],
  [deadLetterRecord, mendDeadLetter],
  [partRecord, mendPart],
  [headRecord, mendHead],
  [chunkRecord, mendChunk],
  [eventRecord, (item) => dropped(item, 'a line of its history is lost, nothing else')],
  [timelineRecord, (item) => dropped(item, 'the report lacks the curve of that run')],
  [liveRecord, (item) => dropped(item, 'the next run tells anew how it goes')],
  [seedSet, mendSet],
  [seedRow, mendRow],
  [seedVolume, mendVolume],
  [cutoverState, mendCutover],
  [cutoverEvent, mendCutoverEvent],
  [shadowCounts, (item) => dropped(item, 'shadow reads are counted from nothing')],
  [shadowDifference, (item) => dropped(item, 'a shadow read that finds the difference again records it again')],
  // Without its token nobody can tell whether DynamoDB has begun; the next run stages and starts anew.
  [bulkImportRecord, (item) => dropped(item, 'the next bulk import of that export stages it anew; look for one that still runs')],
  [importRecord, (item) => dropped(item, 'the next import of that export begins at its beginning')],
  [exportSegmentRecord, (item) => dropped(item, 'the next run of that masked export reads the segment again')],
  [erasureRecord, (item) => dropped(item, 'how many records that erasure removed is no longer known')],
]);

/** What becomes of a damaged record: rebuilt from others where that can be, else dropped. */
export function mendRecord({ entity, item }: DamagedRecord, facts: MigrationFacts): Mending {
  const mend = mends.get(entity);
  if (mend === undefined || !hasKeyOf(entity, item)) return dropped(item, 'nothing reads it');
  return mend(item, facts);
}

function mendPause(item: Item, { at }: MigrationFacts): Mending {
  const { scope = '', by = 'somebody', at: since = at } = salvage(pauseRecord, item);
  return rebuilt(pauseRecord, { scope, by, at: since }, "the runs stay paused; 'tablewright resume' lets them go on");
}

function mendSet(item: Item, { at }: MigrationFacts): Mending {
  const { set = '', anchor, loadedAt = at } = salvage(seedSet, item);
  if (anchor === undefined) return dropped(item, `the next load of ${set} counts its relative times from then`);
  return rebuilt(seedSet, { set, anchor, loadedAt }, `${set} keeps its times`);
}

function mendRow(item: Item): Mending {
  const { set = '', identity, table, copies } = salvage(seedRow, item);
  if (identity !== undefined && table !== undefined && copies !== undefined) {
    return rebuilt(seedRow, { set, identity, table, copies }, 'nothing of it is lost');
  }
  return dropped(item, `a row of ${set} is taken for somebody else's: adopted if it is as its file says, else kept`);
}

function mendVolume(item: Item, { at }: MigrationFacts): Mending {
  const { set = '', seed, base, count, stored = 0, former, updatedAt = at } = salvage(seedVolume, item);
  if (seed === undefined || base === undefined || count === undefined) {
    return dropped(item, `the next load writes the rows of ${set} anew; those of before stay in their tables`);
  }
  const record = { set, seed, base, count, stored, ...(former === undefined ? {} : { former }), updatedAt };
  return rebuilt(seedVolume, record, `the next load of ${set} goes on behind row ${stored}`);
}

function mendCutover(item: Item, { survey, at }: MigrationFacts): Mending {
  const { pattern = '', version: known = 0 } = salvage(cutoverState, item);
  const events = survey.of(cutoverEvent).filter((event) => event.pattern === pattern);
  const last = events.toSorted((a, b) => b.version - a.version)[0];
  if (last !== undefined && last.version >= known) {
    const { version, to: state, share, at: changedAt, by: changedBy, evidence } = last;
    const record = { pattern, state, share, version, changedAt, changedBy, evidence };
    return rebuilt(cutoverState, record, `from its history: it is read in state ${state}`);
  }
  const scanned = "it is read by Scan, which is always right; 'tablewright cutover apply' proves it and moves it";
  if (known === 0) return dropped(item, scanned);
  return rebuilt(cutoverState, { ...initialState(pattern), version: known, changedAt: at, changedBy: 'repair' }, scanned);
}

function mendCutoverEvent(item: Item, { survey }: MigrationFacts): Mending {
  const { pattern = '', version = 0 } = salvage(cutoverEvent, item);
  const state = survey.of(cutoverState).find((record) => record.pattern === pattern);
  if (state === undefined || state.version !== version) return dropped(item, 'a line of its history is lost, nothing else');
  const before = survey.of(cutoverEvent).find((event) => event.pattern === pattern && event.version === version - 1);
  const { state: to, share, changedAt: at, changedBy: by, evidence } = state;
  const record = { pattern, version, from: before?.to ?? 'scan', to, at, by, share, evidence } as const;
  return rebuilt(cutoverEvent, record, 'from the state that it led to');
}
