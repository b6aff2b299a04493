import { flag, integer, isoTime, note, plainDataOf, storedAs, text } from '../attributes.ts';
import type { RecordOf } from '../entity.ts';
import { isEndAnswer } from '../runner/order.ts';
import { defineLedgerEntity } from './ledger-entity.ts';
import { ledgerKeys } from './ledger-keys.ts';

/** The keys that name it have room for ten digits. */
export const maxLockToken = 9_999_999_999;

const lockToken = () =>
  integer()
    .refine((value) => value >= 0 && value <= maxLockToken, { message: `expected from 0 to ${maxLockToken}` })
    .register(storedAs, { type: 'N' });

export const lockRecord = defineLedgerEntity({
  name: 'LOCK',
  description: 'Who holds the lock of a scope, and until when',
  key: ledgerKeys.lock,
  // Its form is as ever; runners that do not know the journal of format 2 must not take it.
  format: 2,
  inKey: { scope: text() },
  attributes: {
    /** Only ever grows; every ledger write names it. */
    token: lockToken(),
    holder: note(),
    since: isoTime(),
    /** Milliseconds since 1970; 0 when it was given back. */
    leaseUntil: integer(),
    doing: note(),
    /** Why its holder holds still, while it does. */
    waiting: note().optional(),
    /** Of an execution: counts those who speak for it, one after the other. Only the last one may write. */
    turn: integer().optional(),
    /** Whoever has the turn runs a step: it may have requests under way. */
    working: flag().optional(),
    /** Counts those turns; the keys of their parts of the journal contain it. */
    attempt: integer().optional(),
    /** Of an execution that gave it back: what it has ended with. */
    ended: plainDataOf(isEndAnswer).optional(),
  },
});

export const pauseRecord = defineLedgerEntity({
  name: 'PAUSE',
  description: 'There while somebody has paused the runs of a scope',
  key: ledgerKeys.pause,
  inKey: { scope: text() },
  attributes: { by: note(), at: isoTime() },
});

export const stopRecord = defineLedgerEntity({
  name: 'STOP',
  description: 'Asks the runner that holds the lock of a scope to stop at its next checkpoint',
  key: ledgerKeys.stop,
  inKey: { scope: text() },
  /** It is meant for one holder: those after it do not mind. */
  attributes: { token: lockToken(), by: note(), at: isoTime() },
});

export const claimRecord = defineLedgerEntity({
  name: 'CLAIM',
  description: 'Which invocation of a worker may write of a unit: the last one that claimed it',
  key: ledgerKeys.claim,
  inKey: { migration: text(), step: integer(), segment: integer() },
  attributes: {
    /** Of the lock; never given to a smaller one. */
    token: lockToken(),
    /** Counted under one token; the keys of its parts of the journal contain it. */
    attempt: integer(),
    by: note(),
    /** It has ended in order: nothing of it is under way. */
    over: flag().optional(),
  },
});

export type StopRecord = RecordOf<typeof stopRecord>;
export type ClaimRecord = RecordOf<typeof claimRecord>;
export type LeaseRecord = RecordOf<typeof lockRecord>;
export type PauseRecord = RecordOf<typeof pauseRecord>;
