import { resumeRuns } from '../../run/migrate/pause-runs.ts';
import type { Action } from '../context.ts';
import { openLedger } from '../migrate/open-migrations.ts';
import type spec from './resume.spec.js';

const resume: Action<typeof spec> = async (context) => {
  await using command = await openLedger(context);
  const { environment } = command;
  const resumed = await resumeRuns(environment);
  context.output.result({ resumed }, () => (resumed ? 'Resumed: a waiting run goes on by itself.' : 'Nothing was paused.'));
  return 0;
};

export default resume;
