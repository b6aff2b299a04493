import { resumeRuns } from '../../run/migrate/pause-runs.ts';
import type { CommandFunction } from '../context.ts';
import { withMigrations } from '../migrate/with-migrations.ts';

const resume: CommandFunction = async (context, _, options) =>
  withMigrations(context, options, async ({ environment }) => {
    const resumed = await resumeRuns(environment);
    context.output.result({ resumed }, () => (resumed ? 'Resumed: a waiting run goes on by itself.' : 'Nothing was paused.'));
    return 0;
  });

export default resume;
