import { TablewrightError } from '../../../tables/model/error.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import type { ReadState } from '../../core/cutover/state-record.ts';
import { legacyOf } from '../../core/read/plan-legacy.ts';
import { changeState, readState } from './change-state.ts';
import type { CutoverEnvironment } from './environment.ts';

const maxAttempts = 10;

export interface MoveOutcome {
  readonly pattern: string;
  readonly from: ReadState;
  readonly to: ReadState;
  readonly changed: boolean;
}

/** Readers use the scan again. Needs nothing to be proven, and goes through whatever others do. */
export function revertCutover(environment: CutoverEnvironment, pattern: Pattern, signal?: AbortSignal): Promise<MoveOutcome> {
  return move(environment, pattern, 'scan', undefined, signal);
}

/** Readers are answered by the scan and try the query beside it on a share of reads. */
export function shadowCutover(
  environment: CutoverEnvironment,
  pattern: Pattern,
  share: number,
  signal?: AbortSignal,
): Promise<MoveOutcome> {
  return move(environment, pattern, 'shadow', share, signal);
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
    const changed = await changeState(environment, before, { state: to, share }, signal);
    if (changed === 'changed') return { pattern: pattern.name, from: before.state, to, changed: true };
  }
  throw new TablewrightError('CONFLICT', `${pattern.name}: other commands kept changing its state, ${maxAttempts} tries`, {
    next: 'Stop them, then run this again.',
  });
}
