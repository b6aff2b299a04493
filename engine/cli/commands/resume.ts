import { executionNameOf } from '../../../tables/model/runner/names.ts';
import { holderText } from '../../core/remote/holder-text.ts';
import { readLease } from '../../run/ledger/lock.ts';
import { resumeRuns } from '../../run/migrate/pause-runs.ts';
import type { Action } from '../context.ts';
import { openLedger } from '../migrate/open-migrations.ts';
import type spec from './resume.spec.js';

const resume: Action<typeof spec> = async (context) => {
  await using command = await openLedger(context);
  const { environment } = command;
  const resumed = await resumeRuns(environment);
  const last = (await readLease(environment))?.holder ?? '';
  context.output.result({ resumed }, () => (resumed ? resumedText(last) : 'Nothing was paused.'));
  return 0;
};

/** A run of one process has waited; an execution by workers has ended. */
function resumedText(last: string): string {
  return executionNameOf(last) === undefined
    ? 'Resumed: a waiting run goes on by itself.'
    : `Resumed: a waiting run goes on by itself. ${holderText(last)} has ended; the command that began it goes on from its checkpoints.`;
}

export default resume;
