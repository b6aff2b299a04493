import { executionNameOf } from '../../../tables/model/runner/names.ts';
import { holderText } from '../../core/remote/holder-text.ts';
import { readLease } from '../../run/ledger/lock.ts';
import { pauseRuns } from '../../run/migrate/pause-runs.ts';
import type { Action } from '../context.ts';
import { openLedger } from '../migrate/open-migrations.ts';
import type spec from './pause.spec.js';

const pause: Action<typeof spec> = async (context) => {
  await using command = await openLedger(context);
  const { environment } = command;
  await pauseRuns(environment);
  const lease = await readLease(environment);
  const isHeld = lease !== undefined && lease.leaseUntil > environment.nowMs();
  context.output.result({ paused: true, runner: isHeld ? lease.holder : null }, () =>
    isHeld ? pausedText(lease.holder) : "Paused: nobody runs migrations now, and nobody can begin until 'tablewright resume'.",
  );
  return 0;
};

/** Nobody is paid for waiting: an execution by workers ends. */
function pausedText(holder: string): string {
  return executionNameOf(holder) === undefined
    ? `Paused: ${holder} stops at its next page, within seconds. 'tablewright resume' goes on.`
    : `Paused: ${holderText(holder)} stores its checkpoints and ends, within seconds. After 'tablewright resume', the command that began it goes on.`;
}

export default pause;
