import type { Item } from '../../../tables/model/attribute-value.ts';
import { absent, all, any, equals, greater, less } from '../../../tables/model/condition.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { headRecord } from '../../../tables/model/ledger/journal-records.ts';
import { type LeaseRecord, lockRecord, maxLockToken } from '../../../tables/model/ledger/lock-records.ts';
import {
  eventRecord,
  executionRecord,
  segmentRecord,
  stateRecord,
  stepRecord,
} from '../../../tables/model/ledger/migration-records.ts';
import { isoOfEpochMs } from '../../../tables/model/time.ts';
import { inspectRecord, ledgerAttributes, ledgerItem, ledgerKey, salvage } from '../../core/ledger/ledger-codec.ts';
import { damagedLedger, newerLedger, shownLedgerKey } from '../../core/ledger/ledger-errors.ts';
import { holderText } from '../../core/remote/holder-text.ts';
import type { TransactEntry } from '../../core/store/store.ts';
import { type EntryGuard, putEntry, updateEntry } from '../../core/store/transact-entry.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { type LedgerStore, ledgerOf, type MigrationLedger } from './ledger-store.ts';

export const lockScope = 'migrate';

/** The lock as its holder knows it. */
export interface Lease {
  readonly token: number;
  readonly holder: string;
  /** Why its holder holds still; empty when it no longer does. */
  waiting?: string;
  /** Whom it was taken from, if its lease had passed without being given back. */
  readonly takenOver: string | undefined;
  /** By this process's clock; moved by the heartbeat. */
  untilMs: number;
  /** The end that was asked for last, whatever became of it. */
  askedMs?: number;
  /** Which of those who speak for an execution, one after the other, this one is. */
  readonly turn?: number;
  /** Tells apart those of them who run steps. */
  readonly attempt?: number;
  /** When the execution took it. */
  readonly sinceMs?: number;
}

export type LockEnvironment = MigrationLedger &
  Pick<MigrateEnvironment, 'actor' | 'nowMs'> & { readonly tuning: Pick<MigrateEnvironment['tuning'], 'leaseMs'> };

/** The lock's record as it is found: none, a lease (held or given back), or one that says nothing that can be relied on. */
export type LockView =
  | { readonly kind: 'none' }
  | { readonly kind: 'lease'; readonly lease: LeaseRecord }
  | { readonly kind: 'damaged'; readonly item: Item; readonly problems: readonly string[] }
  | { readonly kind: 'newer'; readonly item: Item; readonly format: number };

const key = ledgerKey(lockRecord, { scope: lockScope });

/** What the lock's record holds, whatever that is. */
export async function inspectLock(environment: MigrationLedger): Promise<LockView> {
  const item = await ledgerOf(environment).item(key);
  if (item === undefined) return { kind: 'none' };
  const reading = inspectRecord(lockRecord, item);
  return reading.kind === 'sound' ? { kind: 'lease', lease: reading.record } : { ...reading, item };
}

/** Who holds the lock now, or held it last; undefined when nobody ever did. */
export async function readLease(environment: MigrationLedger): Promise<LeaseRecord | undefined> {
  const view = await inspectLock(environment);
  if (view.kind === 'newer') throw newerLedger(view.item, view.format, lockRecord.format);
  if (view.kind === 'damaged') throw damagedLock(view);
  return view.kind === 'lease' ? view.lease : undefined;
}

function damagedLock(view: Extract<LockView, { readonly kind: 'damaged' }>): TablewrightError {
  return damagedLedger(
    [view],
    "Make sure that nobody runs migrations, then replace it with 'tablewright unlock --force'; 'tablewright repair' does so by itself when nobody can hold it.",
  );
}

const holderOf = ({ actor }: LockEnvironment): string => `${actor.who}@${actor.host}`;

/** Takes the lock if it is free or its lease has passed. The token is one more than any before it. */
export async function takeLock(environment: LockEnvironment, doing: string, holder = holderOf(environment)): Promise<Lease> {
  const { nowMs, tuning } = environment;
  const store = ledgerOf(environment);
  const found = await readLease(environment);
  const at = nowMs();
  if (found !== undefined && found.leaseUntil > at) throw locked(found, at);
  const untilMs = at + tuning.leaseMs;
  const record: LeaseRecord = {
    scope: lockScope,
    token: found === undefined ? await tokenWithoutRecord(environment) : tokenAfter(found.token, at),
    holder,
    since: isoOfEpochMs(at),
    leaseUntil: untilMs,
    doing,
  };
  const answer = await store.transact(() => [putEntry(store.table, ledgerItem(lockRecord, record), unchangedSince(found))]);
  if (!answer.done) {
    const winner = await readLease(environment);
    throw locked(winner ?? { ...record, holder: 'another runner' }, at);
  }
  const left = found !== undefined && found.leaseUntil > 0;
  return { token: record.token, holder, takenOver: left ? found.holder : undefined, untilMs };
}

/**
 * Tokens are counted up; the count begins at the seconds since 1970, more than a lost one can have reached at less than a lock
 * a second. No less than what any run has left behind, for clocks differ. A token that is given twice would let two runners
 * write, and one of them over the other's journal.
 */
async function tokenWithoutRecord(environment: LockEnvironment): Promise<number> {
  const store = ledgerOf(environment);
  const states = (await store.items(stateRecord, {})).map((item) => salvage(stateRecord, item));
  const at = environment.nowMs();
  let last = 0;
  for (const { id, token = 0 } of states) last = Math.max(last, token, id === undefined ? 0 : await lastTokenOf(store, id));
  return Math.max(Math.floor(at / 1_000), last === 0 ? 0 : tokenAfter(last, at));
}

/** What a rollback, a verify or a retry of a migration wrote with: its state names those who ran it. */
async function lastTokenOf(store: LedgerStore, migration: string): Promise<number> {
  const events = (await store.items(eventRecord, { migration })).map((item) => salvage(eventRecord, item));
  const segments = (await store.items(segmentRecord, { migration })).map((item) => salvage(segmentRecord, item));
  const executions = (await store.items(executionRecord, { migration })).map((item) => salvage(executionRecord, item));
  let last = 0;
  for (const { token = 0 } of [...events, ...segments, ...executions]) last = Math.max(last, token);
  for (const item of await store.items(stepRecord, { migration })) {
    const { generation, step, segments: segment } = salvage(stepRecord, item);
    if (generation === undefined || step === undefined || segment === undefined) continue;
    // The journal of its retried dead letters stands behind those of its segments.
    const heads = await store.items(headRecord, { migration, step, segment, generation });
    for (const head of heads) last = Math.max(last, salvage(headRecord, head).token ?? 0);
  }
  return last;
}

const number = (value: number) => ({ N: String(value) });

function unchangedSince(found: LeaseRecord | undefined): EntryGuard {
  if (found === undefined) return absent('PK');
  return all(equals('token', number(found.token)), equals('leaseUntil', number(found.leaseUntil)));
}

function locked(lease: LeaseRecord, at: number): TablewrightError {
  const seconds = Math.max(0, Math.ceil((lease.leaseUntil - at) / 1_000));
  return new TablewrightError(
    'LOCKED',
    `the migrations of this stack are locked by ${holderText(lease.holder)} since ${lease.since} (${lease.doing})`,
    {
      next: `Wait for it. If that runner is dead, its lease passes in ${seconds} s by itself; 'tablewright unlock' shows it.`,
    },
  );
}

export function lockLost(lease: Pick<Lease, 'token'>, cause?: unknown): TablewrightError {
  return new TablewrightError(
    'LOCK_LOST',
    `this runner's lease (token ${lease.token}) has passed or was taken over, so it has stopped and changed nothing more in the ledger`,
    { cause, next: "Run 'tablewright status' to see who goes on; 'tablewright migrate' continues from the last checkpoint." },
  );
}

/** Still ours, by the clock? Asked before each batch, which no ledger transaction can guard. */
export function isHeld(lease: Lease, nowMs: number): boolean {
  return lease.untilMs > nowMs;
}

/**
 * The part of a ledger transaction that lets it pass only for the holder of the lock, and moves the lease's end; 0 gives it back.
 * The end only grows, so what is delivered again behind a later one, by whatever lies in between, writes nothing any more.
 */
export function renewal(
  table: string,
  lease: Lease,
  nowMs: number,
  untilMs: number,
  ended?: LeaseRecord['ended'],
): TransactEntry {
  const end = untilMs === 0 ? 0 : Math.max(untilMs, (lease.askedMs ?? lease.untilMs) + 1);
  lease.askedMs = Math.max(end, lease.askedMs ?? 0);
  // The holder too: a record that is lost in its first second is made again with the same token.
  const mine = any(equals('holder', lease.holder), absent('holder'));
  const later = end === 0 ? [] : [less('leaseUntil', number(end))];
  const { waiting, turn } = lease;
  const lastTurn = turn === undefined ? [] : [equals('turn', number(turn))];
  const ours = all(equals('token', number(lease.token)), mine, greater('leaseUntil', number(nowMs)), ...later, ...lastTurn);
  const told = waiting === undefined || waiting === '' ? {} : { waiting };
  const set = ledgerAttributes(lockRecord, { leaseUntil: end, ...told, ended });
  return updateEntry(table, key, waiting === '' ? { set, remove: ['waiting'] } : { set }, ours);
}

/**
 * Moves the lease's end for one of many who work under it, alone: none of them has it in a transaction. False when it passed, or
 * is another's by now.
 */
export async function extendLease(environment: LockEnvironment, lease: Lease): Promise<boolean> {
  const store = ledgerOf(environment);
  const { nowMs, tuning } = environment;
  const at = nowMs();
  const found = await readLease(environment);
  if (found === undefined || found.token !== lease.token || found.holder !== lease.holder || found.leaseUntil <= at) return false;
  lease.untilMs = found.leaseUntil;
  const untilMs = at + tuning.leaseMs;
  if (untilMs - found.leaseUntil < extendEveryMs) return true;
  const ours = all(equals('token', number(lease.token)), equals('leaseUntil', number(found.leaseUntil)));
  const set = ledgerAttributes(lockRecord, { leaseUntil: untilMs });
  const answer = await store.transact(() => [updateEntry(store.table, key, { set }, ours)], { urgent: true });
  // Not done: another worker was first, which the next look tells.
  if (answer.done) lease.untilMs = untilMs;
  return true;
}

const extendEveryMs = 60_000;

/**
 * Gives the lock back; the token stays. It is the holder's alone to give: one that was lost is left as it is. `ended`: what an
 * execution answers with.
 */
export async function releaseLock(environment: LockEnvironment, lease: Lease, ended?: LeaseRecord['ended']): Promise<void> {
  const store = ledgerOf(environment);
  await store.transact(() => [renewal(store.table, lease, environment.nowMs(), 0, ended)], { urgent: true });
  lease.untilMs = 0;
}

/**
 * Ends a lease by hand, whatever its record holds: a sound one takes its place, given back and with a larger token, so its
 * holder can write nothing more. False when the lock changed hands since it was looked at.
 */
export async function breakLock(environment: LockEnvironment, view: LockView, doing: string): Promise<boolean> {
  if (view.kind === 'none') return true;
  const store = ledgerOf(environment);
  const seen = view.kind === 'lease' ? ledgerItem(lockRecord, view.lease) : view.item;
  const record =
    view.kind === 'lease' ? freed(view.lease, environment.nowMs()) : await replacement(environment, view.item, doing);
  const answer = await store.transact(() => [
    putEntry(store.table, ledgerItem(lockRecord, record), { exists: 'PK', seen: { token: seen.token } }),
  ]);
  return answer.done;
}

function freed(lease: LeaseRecord, nowMs: number): LeaseRecord {
  return { ...lease, token: tokenAfter(lease.token, nowMs), leaseUntil: 0 };
}

/** One more. No count gets as far as the last; after one that somebody has set so, a smaller one fences all the same. */
function tokenAfter(token: number, nowMs: number): number {
  return token < maxLockToken ? token + 1 : Math.floor(nowMs / 1_000);
}

async function replacement(environment: LockEnvironment, item: Item, doing: string): Promise<LeaseRecord> {
  const { actor, nowMs } = environment;
  const { token = 0 } = salvage(lockRecord, item);
  const at = nowMs();
  return {
    scope: lockScope,
    token: Math.max(tokenAfter(token, at), await tokenWithoutRecord(environment)),
    holder: `${actor.who}@${actor.host}`,
    since: isoOfEpochMs(at),
    leaseUntil: 0,
    doing,
  };
}

/**
 * Replaces a damaged lock if nobody can hold it: every write of a holder needs a token and a lease in the future, so without one
 * of them there is none. Gives what was wrong with it; undefined when nothing was.
 */
export async function rebuildLock(environment: LockEnvironment) {
  const view = await inspectLock(environment);
  if (view.kind !== 'damaged') return undefined;
  const { token, leaseUntil } = salvage(lockRecord, view.item);
  const mayBeHeld = token !== undefined && leaseUntil !== undefined && leaseUntil > environment.nowMs();
  if (mayBeHeld || !(await breakLock(environment, view, 'repair'))) throw damagedLock(view);
  const means = 'nobody could hold it, so it is free';
  return { key: shownLedgerKey(key), record: lockRecord.name, problems: view.problems, outcome: 'rebuilt', means } as const;
}
