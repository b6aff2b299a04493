import { absent, equals } from '../../../tables/model/condition.ts';
import { type CutoverEvidence, cutoverEvent, cutoverState } from '../../../tables/model/ledger/cutover-records.ts';
import { type MigrationState, stateRecord } from '../../../tables/model/ledger/migration-records.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import { isoOfEpochMs } from '../../../tables/model/time.ts';
import { type PatternState, type ReadState, stateFor } from '../../core/cutover/state-record.ts';
import { ledgerItem, ledgerKey } from '../../core/ledger/ledger-codec.ts';
import type { TransactEntry } from '../../core/store/store.ts';
import { checkEntry, putEntry } from '../../core/store/transact-entry.ts';
import { type LedgerEnvironment, LedgerStore } from '../ledger/ledger-store.ts';
import type { CutoverEnvironment } from './environment.ts';

export interface StateChange {
  readonly state: ReadState;
  /** The index that the pattern stands on, which the state is of. */
  readonly index: string | undefined;
  readonly share?: number | undefined;
  /** What it rests on, for the history. */
  readonly evidence?: CutoverEvidence | undefined;
  /** Goes through only while this migration is `verified`. */
  readonly needsVerified?: string | undefined;
}

/** `changed`, or why not: somebody else changed the state first, or the backfill is no longer verified. */
export type ChangeOutcome = 'changed' | 'state-changed' | 'not-verified';

export async function readState(environment: LedgerEnvironment, pattern: Pattern, signal?: AbortSignal): Promise<PatternState> {
  return stateFor(pattern, await new LedgerStore(environment).get(cutoverState, { pattern: pattern.name }, signal));
}

/** The state of the pattern's backfill, as the migrations' ledger has it; undefined when it was never run. */
export async function backfillState(
  environment: LedgerEnvironment,
  migration: string,
  signal?: AbortSignal,
): Promise<MigrationState | undefined> {
  return (await new LedgerStore(environment).get(stateRecord, { id: migration }, signal))?.state;
}

/**
 * Moves a pattern from the state that was read to another, with its history, in one transaction. Its guard is the version:
 * of two that change the state at once, one is told so and nothing of it happens.
 */
export async function changeState(
  environment: CutoverEnvironment,
  before: PatternState,
  change: StateChange,
  signal?: AbortSignal,
): Promise<ChangeOutcome> {
  const store = new LedgerStore(environment);
  const entries = [
    ...transition(store.table, environment, before, change),
    ...(change.needsVerified === undefined ? [] : [verifiedCheck(store.table, change.needsVerified)]),
  ];
  const answer = await store.transact(() => entries, { signal });
  if (answer.done) return 'changed';
  return answer.reasons[0] === 'ConditionalCheckFailed' ? 'state-changed' : 'not-verified';
}

function transition(
  table: string,
  { nowMs, by }: CutoverEnvironment,
  before: PatternState,
  change: StateChange,
): readonly TransactEntry[] {
  const { pattern, state: from } = before;
  const { state: to, share = before.share, evidence, index } = change;
  const at = isoOfEpochMs(nowMs());
  const version = before.version + 1;
  const state = ledgerItem(cutoverState, { pattern, state: to, share, version, changedAt: at, changedBy: by, evidence, index });
  const event = ledgerItem(cutoverEvent, { pattern, version, from, to, at, by, share, evidence, index });
  const unchanged = before.version === 0 ? absent('version') : equals('version', { N: String(before.version) });
  return [putEntry(table, state, unchanged), putEntry(table, event)];
}

function verifiedCheck(table: string, migration: string): TransactEntry {
  return checkEntry(table, ledgerKey(stateRecord, { id: migration }), equals('state', 'verified'));
}
