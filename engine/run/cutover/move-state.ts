import { TablewrightError } from '../../../tables/model/error.ts';
import { formerPattern, type Pattern } from '../../../tables/model/pattern.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { ReadState } from '../../core/cutover/state-record.ts';
import { tableOf } from '../../core/read/checked-call.ts';
import { legacyOf } from '../../core/read/plan-legacy.ts';
import { changeState, readState } from './change-state.ts';
import { checkParity } from './check-parity.ts';
import type { CutoverEnvironment } from './environment.ts';

const maxAttempts = 10;
const maxShownLacking = 10;

export interface MoveOutcome {
  readonly pattern: string;
  readonly from: ReadState;
  readonly to: ReadState;
  readonly changed: boolean;
}

/**
 * Readers use the old form again, whatever others do. A Scan needs nothing to be proven. An index before does: a writer that no
 * longer derives its key leaves records out of it, and nobody would notice.
 */
export async function revertCutover(
  environment: CutoverEnvironment,
  pattern: Pattern,
  signal?: AbortSignal,
): Promise<MoveOutcome> {
  await refuseUnlessHeld(environment, pattern, signal);
  return move(environment, pattern, 'scan', undefined, signal);
}

/** Readers are answered by the scan and try the query beside it on a share of reads. */
export async function shadowCutover(
  environment: CutoverEnvironment,
  pattern: Pattern,
  share: number,
  signal?: AbortSignal,
): Promise<MoveOutcome> {
  await refuseUnlessHeld(environment, pattern, signal);
  return move(environment, pattern, 'shadow', share, signal);
}

/** The index before must be there, and hold every record that the new one gives. Nothing to ask while readers use it anyway. */
async function refuseUnlessHeld(environment: CutoverEnvironment, pattern: Pattern, signal?: AbortSignal): Promise<void> {
  const former = formerPattern(pattern);
  if (former === undefined || (await readState(environment, pattern, signal)).state !== 'query') return;
  const name = physicalName(tableOf(environment.tables, pattern), environment.names);
  const found = await environment.store.describeTable(name, signal);
  const status = found?.indexes.find((index) => index.name === former.index)?.status ?? 'missing';
  const refused = (problems: readonly string[]) =>
    new TablewrightError('CHECK_FAILED', `${pattern.name}: index ${former.index} does not hold what readers get now`, {
      problems,
      next: 'The way back is a backfill and a new index, as a migration of its own (docs/indexes.md).',
    });
  if (status !== 'ACTIVE') throw refused([`index ${former.index} is ${status}, expected ACTIVE`]);
  const { differences } = await checkParity(environment, pattern, { signal });
  const lacking = differences.filter(({ kind }) => kind === 'extra');
  if (lacking.length > 0) throw refused(lacking.slice(0, maxShownLacking).map(({ key, detail }) => `${key}: ${detail}`));
}

async function move(
  environment: CutoverEnvironment,
  pattern: Pattern,
  to: Exclude<ReadState, 'query'>,
  share: number | undefined,
  signal: AbortSignal | undefined,
): Promise<MoveOutcome> {
  legacyOf(pattern);
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const before = await readState(environment, pattern, signal);
    const same = before.state === to && (share === undefined || before.share === share);
    if (same) return { pattern: pattern.name, from: before.state, to, changed: false };
    const changed = await changeState(environment, before, { state: to, index: pattern.index, share }, signal);
    if (changed === 'changed') return { pattern: pattern.name, from: before.state, to, changed: true };
  }
  throw new TablewrightError('CONFLICT', `${pattern.name}: other commands kept changing its state, ${maxAttempts} tries`, {
    next: 'Stop them, then run this again.',
  });
}
