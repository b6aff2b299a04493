import { holderText } from '../../core/remote/holder-text.ts';
import { stopRuns } from '../../run/remote/stop-runs.ts';
import type { Action } from '../context.ts';
import { openLedger } from '../migrate/open-migrations.ts';
import type spec from './stop.spec.js';

const stop: Action<typeof spec> = async (context) => {
  await using command = await openLedger(context);
  const stopped = await stopRuns(command.environment);
  context.output.result({ stopped: stopped?.holder ?? null }, () =>
    stopped === undefined
      ? 'Nobody runs migrations now: there is nothing to stop.'
      : `Asked ${holderText(stopped.holder)} (${stopped.doing}) to stop: it stores its checkpoints and ends within seconds.\n→ The command that began it goes on from there.`,
  );
  return 0;
};

export default stop;
