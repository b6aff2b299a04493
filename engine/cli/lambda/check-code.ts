import { TablewrightError } from '../../../tables/model/error.ts';
import type { RunnerTask } from '../../../tables/model/runner/order.ts';

/**
 * Refuses, before anything is read or written, what was ordered of another version of the function; that its migrations are the caller's, the
 * run itself makes sure of. Not when the execution is to end: that only gives back what is its own.
 */
export function refuseOtherVersion({ task, order }: RunnerTask, version: string | undefined): void {
  if (task === 'end' || version === order.version) return;
  throw new TablewrightError('LEDGER_MISMATCH', 'the function is of another version than the caller’s', {
    problems: [`version: expected ${order.version}, found ${version ?? 'none'}`],
    next: `Nothing was changed. Run 'tablewright ${order.command} --on aws' again: it takes the version that is deployed now.`,
  });
}
