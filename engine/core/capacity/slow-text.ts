import type { Slowness } from '../../../tables/model/ledger/migration-records.ts';
import { showNumber, showShare } from '../show/numbers.ts';
import { shownReasons } from '../store/throttling.ts';
import type { SlowReason } from './capacity-limiter.ts';
import { segmentsPart } from './partition-ceilings.ts';

/** For those who watch from elsewhere. The wait for a first answer is none of their concern. */
export function slownessOf(...reasons: readonly (SlowReason | undefined)[]): Slowness | undefined {
  const slow = reasons.find((reason) => reason !== undefined);
  return slow === undefined || slow.kind === 'learning' ? undefined : { kind: slow.kind, text: slowText(slow) };
}

/** Why it is slow, as people read it. */
export function slowText(slow: SlowReason): string {
  if (slow.kind === 'learning') return 'slow: waiting for the first answer to learn the cost';
  if (slow.kind === 'budget') return `slow: the budget of ${showNumber(slow.unitsPerSecond)} units/s is used up`;
  const rate = `${showNumber(Math.round(slow.unitsPerSecond))} units/s`;
  if (slow.kind === 'partition' && slow.part === segmentsPart) {
    return `slow: each segment writes to one partition of the table at a time, and they take no more: ${rate} for now`;
  }
  if (slow.kind === 'partition') {
    const part = slow.part === '' ? 'the table' : slow.part;
    return `slow: one key of ${part} gets ${showShare(slow.share)} of all units, and its partition takes no more: ${rate} for now`;
  }
  const why = shownReasons(slow.reasons);
  return `slow: DynamoDB refused ${Math.round(slow.share * 100)} %${why === undefined ? '' : ` (${why})`}, down to ${rate}`;
}
