import type { Item } from '../../../tables/model/attribute-value.ts';
import { absent, equals } from '../../../tables/model/condition.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { Transaction } from '../../../tables/model/operation.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import { physicalName } from '../../../tables/stack-config.ts';
import { cutoverEventKey, cutoverStateKey } from '../../../tables/tablewright/cutover-keys.ts';
import { ledger } from '../../../tables/tablewright/ledger.ts';
import { stateKey } from '../../../tables/tablewright/ledger-keys.ts';
import { initialState, type ReadState, type StateRecord, stateOfItem } from '../../core/cutover/state-record.ts';
import { toRecordItem } from '../../core/ledger/record-item.ts';
import { backOffMs } from '../../core/store/back-off.ts';
import type { TransactEntry } from '../../core/store/store.ts';
import { planTransaction } from '../../core/write/plan-write.ts';
import type { CutoverEnvironment } from './environment.ts';

const maxAttempts = 6;

export interface StateChange {
  readonly state: ReadState;
  readonly share?: number | undefined;
  /** What it rests on, for the history. */
  readonly evidence?: Readonly<Record<string, unknown>> | undefined;
  /** Goes through only while this migration is `verified`. */
  readonly needsVerified?: string | undefined;
}

/** `changed`, or why not: somebody else changed the state first, or the backfill is no longer verified. */
export type ChangeOutcome = 'changed' | 'state-changed' | 'not-verified';

export async function readState(
  { store, names }: Pick<CutoverEnvironment, 'store' | 'names'>,
  pattern: Pattern,
  signal?: AbortSignal,
): Promise<StateRecord> {
  const TableName = physicalName(ledger, names);
  const Key = toRecordItem(cutoverStateKey(pattern.name));
  const { item } = await store.getItem({ TableName, Key, ConsistentRead: true }, signal);
  return item === undefined ? initialState(pattern.name) : stateOfItem(item);
}

/** The state of the pattern's backfill, as the migrations' ledger has it; undefined when it was never run. */
export async function backfillState(
  { store, names }: Pick<CutoverEnvironment, 'store' | 'names'>,
  migration: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const request = { TableName: physicalName(ledger, names), Key: toRecordItem(stateKey(migration)), ConsistentRead: true };
  const { item } = await store.getItem(request, signal);
  return item?.state !== undefined && 'S' in item.state ? item.state.S : undefined;
}

/**
 * Moves a pattern from the state that was read to another, with its history, in one transaction. Its guard is the version:
 * of two that change the state at once, one is told so and nothing of it happens.
 */
export async function changeState(
  environment: CutoverEnvironment,
  before: StateRecord,
  change: StateChange,
  signal?: AbortSignal,
): Promise<ChangeOutcome> {
  const { store, names, sleep, random } = environment;
  const checks = change.needsVerified === undefined ? [] : [verifiedCheck(environment, change.needsVerified)];
  const { TransactItems } = planTransaction(transition(environment, before, change), names);
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    if (attempt > 0) await sleep(backOffMs(attempt, random()), signal);
    const answer = await store.transact({ TransactItems: [...TransactItems, ...checks] }, signal);
    if (answer.done) return 'changed';
    if (answer.reasons[0] === 'ConditionalCheckFailed') return 'state-changed';
    if (answer.reasons.at(-1) === 'ConditionalCheckFailed' && checks.length > 0) return 'not-verified';
  }
  throw new TablewrightError('CONFLICT', `${before.pattern}: its state could not be written, ${maxAttempts} tries`, {
    next: 'Others write the same record; nothing was changed, run the command again.',
  });
}

function transition({ time, by }: CutoverEnvironment, before: StateRecord, change: StateChange): Transaction {
  const at = time();
  const version = before.version + 1;
  const { state, share = before.share, evidence } = change;
  const record = { state, share, version, changedAt: at, changedBy: by, ...(evidence === undefined ? {} : { evidence }) };
  const event = { ...cutoverEventKey(before.pattern, version), from: before.state, to: state, at, by, share, evidence };
  const set: Item = toRecordItem(record);
  return {
    writes: [
      {
        kind: 'update',
        table: ledger,
        key: toRecordItem(cutoverStateKey(before.pattern)),
        set,
        condition: before.version === 0 ? absent('version') : equals('version', { N: String(before.version) }),
      },
      { kind: 'put', table: ledger, item: toRecordItem(event) },
    ],
  };
}

function verifiedCheck({ names }: CutoverEnvironment, migration: string): TransactEntry {
  return {
    ConditionCheck: {
      TableName: physicalName(ledger, names),
      Key: toRecordItem(stateKey(migration)),
      ConditionExpression: '#state = :verified',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: { ':verified': { S: 'verified' } },
    },
  };
}
