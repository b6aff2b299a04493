import { runVerify } from '../../run/migrate/run-verify.ts';
import { verifyReportOf } from '../../run/remote/execution-report.ts';
import type { Action } from '../context.ts';
import { concludeVerify } from '../migrate/conclude-verify.ts';
import { openMigrations } from '../migrate/open-migrations.ts';
import { resolveId } from '../migrate/resolve-id.ts';
import { runOnAws } from '../remote/run-on-aws.ts';
import type spec from './verify.spec.js';

const verify: Action<typeof spec> = async (context, given) => {
  await using command = await openMigrations(context, given);
  const id = given.migration === undefined ? undefined : resolveId(command, given.migration);
  if (given.mode === 'aws') {
    const end = await runOnAws(context, command, { command: 'verify', request: { id }, workers: given.workers });
    if (typeof end === 'number') return end;
    return concludeVerify(context, await verifyReportOf(command.environment, end));
  }
  const results = await runVerify(command.environment, command.sources, id, context.signal);
  command.renderer.clear();
  return concludeVerify(context, results);
};

export default verify;
