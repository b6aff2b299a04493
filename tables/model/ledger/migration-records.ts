import * as z from 'zod';
import { choice, flag, integer, isoTime, measure, note, plainData, plainDataOf, text } from '../attributes.ts';
import type { RecordOf } from '../entity.ts';
import { defineLedgerEntity } from './ledger-entity.ts';
import { ledgerKeys } from './ledger-keys.ts';

/** What became of the items of a pass. `scanned` is the sum of all but `conflicts`. */
const counts = z.object({
  scanned: integer(),
  /** Of entities that the step is not for. */
  foreign: integer(),
  expired: integer(),
  right: integer(),
  changed: integer(),
  /** Deleted by somebody between the read and the write. */
  gone: integer(),
  dead: integer(),
  /** Times that somebody else's write came in between and an item was decided on anew. */
  conflicts: integer(),
  /** Rollback only: somebody has changed the value since, so it stays. */
  kept: integer(),
});

/** Capacity units; index writes included. */
const units = z.object({ read: measure(), write: measure() });

/** Where a part of a segment's journal lies; without an attempt, one from before format 2. */
const partPlace = z.object({ token: integer(), attempt: integer().optional(), sequence: integer() });

const pass = () => choice('apply', 'verify', 'rollback');

/** A key of an item in DynamoDB JSON, as plain data: `{ id: { S: 'x' } }`. */
export type StoredKey = { readonly [name: string]: { readonly [type: string]: unknown } };

const keyTypes = ['S', 'N', 'B'];

function isStoredKey(value: unknown): value is StoredKey {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const members: unknown[] = Object.values(value);
  return members.length > 0 && members.every(isKeyValue);
}

function isKeyValue(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const [first, ...more] = Object.entries(value);
  return first !== undefined && more.length === 0 && keyTypes.includes(first[0]) && typeof first[1] === 'string';
}

/** What a look at a journal finds, before anything of it is undone. */
export interface SurveyedJournal {
  readonly gaps: readonly { readonly what: string; readonly items?: number | undefined }[];
  /** The base names of the tables that it is about. */
  readonly tables: readonly string[];
  /** It has parts of an earlier version, which do not say their table. */
  readonly former: boolean;
  readonly entries: number;
}

function isSurveyed(value: unknown): value is SurveyedJournal {
  if (typeof value !== 'object' || value === null) return false;
  const { gaps, tables, former, entries } = value as Partial<Record<keyof SurveyedJournal, unknown>>;
  return Array.isArray(gaps) && Array.isArray(tables) && typeof former === 'boolean' && typeof entries === 'number';
}

export const stateRecord = defineLedgerEntity({
  name: 'STATE',
  description: 'How a migration stands on this stack',
  key: ledgerKeys.state,
  format: 2,
  inKey: {},
  attributes: {
    id: text(),
    description: note(),
    state: choice(
      'running',
      'interrupted',
      'failed',
      'incomplete',
      'applied',
      'verified',
      'rolling-back',
      'rolled-back',
      // Its file was gone when the ledger was repaired; should it come back, it is looked at anew.
      'forgotten',
    ),
    /** Of the source when it was run last. */
    checksum: text(),
    /** Counts the runs from the start; checkpoints and journal chunks belong to one. */
    generation: integer(),
    who: note(),
    host: note(),
    commit: note().optional(),
    startedAt: isoTime(),
    updatedAt: isoTime(),
    finishedAt: isoTime().optional(),
    verifiedAt: isoTime().optional(),
    token: integer(),
    /** Of an execution by many workers: the passes that it has begun under this token. */
    passes: integer().optional(),
    /** Of a retry by many workers: its letters were gone over under this token. */
    retried: z.object({ token: integer(), tried: integer(), dead: integer() }).optional(),
    counts,
    units,
    /** What its rollback did, once that is done. */
    undone: z.object({ counts, units }).optional(),
    dead: integer(),
    error: z.object({ code: note(), message: note() }).optional(),
  },
});

export const stepRecord = defineLedgerEntity({
  name: 'STEP',
  description: 'A step of a migration: into how many segments it is cut, whether it is done',
  key: ledgerKeys.step,
  format: 2,
  inKey: { migration: text(), generation: integer() },
  attributes: {
    step: integer(),
    name: note(),
    kind: text(),
    segments: integer(),
    done: flag(),
    /** Workers elsewhere were at its units: whoever goes on claims each first. */
    spread: flag().optional(),
    /** The base name of the table that a pass goes over. */
    table: text().optional(),
    /** Done in an earlier generation, of which nothing was left over. */
    carried: flag().optional(),
    /** By a rollback, of what only the migration's own code can undo. */
    undone: flag().optional(),
    /** Of custom code. */
    checkpoint: plainData().optional(),
  },
});

/** Why work is slower than it could be, as people read it. */
const slowness = z.object({ kind: text(), text: note() });

const segmentAttributes = {
  migration: text(),
  generation: integer(),
  step: integer(),
  pass: pass(),
  segment: integer(),
  segments: integer(),
  /** The last key that is dealt with, as DynamoDB JSON. */
  cursor: plainDataOf(isStoredKey).optional(),
  done: flag(),
  counts,
  units,
  /** Parts of the journal, of this token and attempt, whose items all lie before the cursor. */
  chunks: integer(),
  /** Absent before format 2, when parts were counted over all tokens. */
  attempt: integer().optional(),
  /** The first part of an earlier writer that may have items behind the cursor. */
  orphans: partPlace.optional(),
  /** Of a rollback: the part whose entries are being undone. */
  undoing: partPlace.optional(),
  /** Keys of the first few items that a verify pass found left over, or that a rollback kept. */
  leftovers: z.array(note()),
  token: integer(),
  /** In a partition of its own, because workers elsewhere are at its step. */
  spread: flag().optional(),
  /** Of a worker: batches that were refused so far, and why it was slow at this checkpoint. For people to see; nothing depends on it. */
  pace: z.object({ throttles: integer(), slow: slowness.optional() }).optional(),
  /** Of a rollback by workers: what its journal was found to be before anything was undone. */
  found: plainDataOf(isSurveyed).optional(),
};

export const segmentRecord = defineLedgerEntity({
  name: 'SEGMENT',
  description: 'How far a segment of a step has got; its result when it is done',
  key: ledgerKeys.segment,
  format: 2,
  inKey: {},
  attributes: segmentAttributes,
});

export const unitRecord = defineLedgerEntity({
  name: 'UNIT',
  description: 'As a SEGMENT, of a step that many workers are at',
  key: ledgerKeys.unit,
  format: 2,
  inKey: {},
  attributes: segmentAttributes,
});

export const deadLetterRecord = defineLedgerEntity({
  name: 'DEAD_LETTER',
  description: 'An item that a migration gave up, with the reason',
  key: ledgerKeys.deadLetter,
  inKey: { migration: text(), digest: text() },
  attributes: {
    step: integer(),
    key: plainDataOf(isStoredKey),
    shownKey: note(),
    table: text(),
    reason: note(),
    at: isoTime(),
  },
});

export const eventRecord = defineLedgerEntity({
  name: 'EVENT',
  description: 'A line of a migration’s history',
  key: ledgerKeys.event,
  inKey: { migration: text(), sequence: integer() },
  attributes: {
    at: isoTime(),
    kind: choice(
      'started',
      'resumed',
      'started-over',
      'applied',
      'verified',
      'incomplete',
      'failed',
      'interrupted',
      'rollback-started',
      'rolled-back',
      'retried',
      'accepted',
      'repaired',
    ),
    who: note(),
    host: note(),
    token: integer(),
    detail: note(),
  },
});

/** One moment of a run, totals since its start. */
const sample = z.object({
  ms: measure(),
  scanned: integer(),
  changed: integer(),
  read: measure(),
  write: measure(),
  throttles: integer(),
});

/** What DynamoDB refused for want of capacity, by what it gave as a reason. */
const refusal = z.object({
  reason: note(),
  /** The ARN of the table or index, where DynamoDB says. */
  resource: note().optional(),
  text: note().optional(),
  /** Batches of which something was refused for it. */
  batches: integer(),
});

export const timelineRecord = defineLedgerEntity({
  name: 'TIMELINE',
  description: 'Samples of a run, for the report',
  key: ledgerKeys.timeline,
  inKey: { migration: text(), token: integer() },
  attributes: {
    startedAt: isoTime(),
    pass: pass(),
    /** Units per second; 0 stands for no limit. */
    budget: z.object({ read: measure(), write: measure() }),
    samples: z.array(sample),
    refusals: z.array(refusal).optional(),
  },
});

export const liveRecord = defineLedgerEntity({
  name: 'LIVE',
  description: 'How the run of a migration was going when its runner last told, about once a second',
  key: ledgerKeys.live,
  inKey: { migration: text() },
  attributes: {
    /** Of the run that wrote it: another one's is no sign of life. */
    token: integer(),
    at: isoTime(),
    pass: pass(),
    step: note(),
    /** The physical name; empty where a rollback no longer knows it. */
    table: note(),
    elapsedMs: measure(),
    counts,
    /** Items that it will have dealt with in the end, about; 0 when nobody knows. */
    expected: integer(),
    /** Items a second, of this run alone, over the last few seconds. */
    itemsPerSecond: measure(),
    unitsPerSecond: units,
    /** Units per second; 0 stands for no limit. */
    budget: units,
    throttles: integer(),
    segments: integer(),
    segmentsDone: integer(),
    /** Why it is slower than it could be. */
    slow: slowness.optional(),
    /** Why it holds still. */
    heldBy: note().optional(),
  },
});

export const executionRecord = defineLedgerEntity({
  name: 'EXECUTION',
  description: 'The execution that works on a pass of a step outside of this machine',
  key: ledgerKeys.execution,
  inKey: {},
  attributes: {
    migration: text(),
    generation: integer(),
    step: integer(),
    pass: pass(),
    executionArn: text(),
    startedAt: isoTime(),
    token: integer(),
    /** Of the step: what its own record says, should that be lost. */
    segments: integer().optional(),
    /** Of the units that were handed out. */
    workers: integer().optional(),
    /** Of all workers together; 0 stands for no limit. */
    budget: units.optional(),
    /** The alarm that a worker found ringing: the others end at a checkpoint, and go on when it no longer does. */
    held: note().optional(),
    /** A worker failed: the others end at a checkpoint, and so does the migration. */
    error: z.object({ code: note(), message: note() }).optional(),
  },
});

export type StateRecord = RecordOf<typeof stateRecord>;
export type MigrationState = StateRecord['state'];
export type StepRecord = RecordOf<typeof stepRecord>;
export type SegmentRecord = RecordOf<typeof segmentRecord>;
export type Pass = SegmentRecord['pass'];
/** A work unit: everything that is needed to go on with a segment, as plain data. */
export type SegmentUnit = Pick<SegmentRecord, 'migration' | 'generation' | 'step' | 'pass' | 'segment' | 'segments' | 'spread'>;
export type PartPlace = Readonly<z.output<typeof partPlace>>;
export type DeadRecord = RecordOf<typeof deadLetterRecord>;
export type HistoryRecord = RecordOf<typeof eventRecord>;
export type HistoryKind = HistoryRecord['kind'];
export type TimelineRecord = RecordOf<typeof timelineRecord>;
export type ExecutionRecord = RecordOf<typeof executionRecord>;
export type LiveRecord = RecordOf<typeof liveRecord>;
export type Sample = TimelineRecord['samples'][number];
export type RefusalCount = Readonly<z.output<typeof refusal>>;
export type Counts = Readonly<z.output<typeof counts>>;
export type Slowness = z.output<typeof slowness>;
export type ConsumedUnits = Readonly<z.output<typeof units>>;

/** Done with, as far as order goes. */
export const settledStates: readonly MigrationState[] = ['applied', 'verified'];
