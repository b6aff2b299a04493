import { TablewrightError } from '../../../tables/model/error.ts';
import { physicalName } from '../../../tables/stack-config.ts';
import { ledger as ledgerTable } from '../../../tables/tablewright/ledger.ts';
import { lockKey } from '../../../tables/tablewright/ledger-keys.ts';
import type { LeaseRecord } from '../../core/ledger/ledger-records.ts';
import { fromRecordItem, toRecordItem } from '../../core/ledger/record-item.ts';
import type { TransactEntry } from '../../core/store/store.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';

export const lockScope = 'migrate';

/** The lock as its holder knows it. */
export interface Lease {
  readonly token: number;
  readonly holder: string;
  /** Whom it was taken from, if its lease had passed without being given back. */
  readonly takenOver: string | undefined;
  /** By this process's clock; moved by the heartbeat. */
  until: number;
}

export type LockEnvironment = Pick<MigrateEnvironment, 'ledger' | 'config' | 'actor' | 'now'> & {
  readonly tuning: Pick<MigrateEnvironment['tuning'], 'leaseMs'>;
};

export const ledgerName = ({ config }: Pick<MigrateEnvironment, 'config'>): string => physicalName(ledgerTable, config);

/** Who holds the lock now; undefined when nobody does. */
export async function readLease(environment: Pick<MigrateEnvironment, 'ledger' | 'config'>): Promise<LeaseRecord | undefined> {
  const Key = toRecordItem(lockKey(lockScope));
  const { item } = await environment.ledger.getItem({ TableName: ledgerName(environment), Key, ConsistentRead: true });
  return item === undefined ? undefined : (fromRecordItem(item) as unknown as LeaseRecord);
}

/** Takes the lock if it is free or its lease has passed. The token is one more than any before it. */
export async function takeLock(environment: LockEnvironment, doing: string): Promise<Lease> {
  const { actor, now, tuning } = environment;
  const found = await readLease(environment);
  const at = now();
  if (found !== undefined && found.leaseUntil > at) throw locked(found, at);
  const holder = `${actor.who}@${actor.host}`;
  const token = (found?.token ?? 0) + 1;
  const until = at + tuning.leaseMs;
  const record = { ...lockKey(lockScope), token, holder, since: new Date(at).toISOString(), leaseUntil: until, doing };
  const condition =
    found === undefined
      ? { ConditionExpression: 'attribute_not_exists(PK)' }
      : {
          ConditionExpression: '#token = :token AND leaseUntil = :until',
          ExpressionAttributeNames: { '#token': 'token' },
          ExpressionAttributeValues: { ':token': { N: String(found.token) }, ':until': { N: String(found.leaseUntil) } },
        };
  const Put = { TableName: ledgerName(environment), Item: toRecordItem(record), ...condition };
  const answer = await environment.ledger.transact({ TransactItems: [{ Put }] });
  if (!answer.done) {
    const winner = await readLease(environment);
    throw locked(winner ?? { ...record, holder: 'another runner' }, at);
  }
  const left = found !== undefined && found.leaseUntil > 0;
  return { token, holder, takenOver: left ? found.holder : undefined, until };
}

function locked(lease: LeaseRecord, at: number): TablewrightError {
  const seconds = Math.max(0, Math.ceil((lease.leaseUntil - at) / 1_000));
  return new TablewrightError(
    'LOCKED',
    `the migrations of this stack are locked by ${lease.holder} since ${lease.since} (${lease.doing})`,
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
export function isHeld(lease: Lease, now: number): boolean {
  return lease.until > now;
}

const ours = '#token = :token AND leaseUntil > :now';

function guard(lease: Lease, now: number) {
  return {
    ExpressionAttributeNames: { '#token': 'token' },
    ExpressionAttributeValues: { ':token': { N: String(lease.token) }, ':now': { N: String(now) } },
  };
}

/** The part of a ledger transaction that lets it pass only for the holder of the lock. */
export function leaseCheck(TableName: string, lease: Lease, now: number): TransactEntry {
  const Key = toRecordItem(lockKey(lockScope));
  return { ConditionCheck: { TableName, Key, ConditionExpression: ours, ...guard(lease, now) } };
}

/** The heartbeat: the same check, and a later end. `until` 0 gives the lock back; the token stays. */
export function leaseUpdate(TableName: string, lease: Lease, now: number, until: number): TransactEntry {
  const { ExpressionAttributeNames, ExpressionAttributeValues } = guard(lease, now);
  return {
    Update: {
      TableName,
      Key: toRecordItem(lockKey(lockScope)),
      UpdateExpression: 'SET leaseUntil = :until',
      ConditionExpression: ours,
      ExpressionAttributeNames,
      ExpressionAttributeValues: { ...ExpressionAttributeValues, ':until': { N: String(until) } },
    },
  };
}

/** Ends a lease by hand, for `unlock --force`: the token grows, so its holder can write nothing more. */
export async function breakLock(environment: LockEnvironment, found: LeaseRecord): Promise<boolean> {
  const Update = {
    TableName: ledgerName(environment),
    Key: toRecordItem(lockKey(lockScope)),
    UpdateExpression: 'SET #token = :next, leaseUntil = :zero',
    ConditionExpression: '#token = :token',
    ExpressionAttributeNames: { '#token': 'token' },
    ExpressionAttributeValues: {
      ':token': { N: String(found.token) },
      ':next': { N: String(found.token + 1) },
      ':zero': { N: '0' },
    },
  };
  return (await environment.ledger.transact({ TransactItems: [{ Update }] })).done;
}
