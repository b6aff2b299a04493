import { runVerify } from '../../run/migrate/run-verify.ts';
import { verifyReportOf } from '../../run/remote/execution-report.ts';
import type { Action } from '../context.ts';
import { concludeVerify } from '../migrate/conclude-verify.ts';
import { openMigrations } from '../migrate/open-migrations.ts';
import { resolveId } from '../migrate/resolve-id.ts';
import { patientContext } from '../remote/patient-context.ts';
import { runByWorkers } from '../remote/run-by-workers.ts';
import type spec from './verify.spec.js';

const verify: Action<typeof spec> = async (context, given) => {
  await using command = await openMigrations(patientContext(context, given), given);
  const id = given.migration === undefined ? undefined : resolveId(command, given.migration);
  if (given.mode === 'workers') {
    const end = await runByWorkers(context, command, {
      on: given.on,
      command: 'verify',
      request: { id },
      workers: given.workers,
    });
    if (typeof end === 'number') return end;
    return concludeVerify(context, await verifyReportOf(command.environment, end));
  }
  const results = await runVerify(command.environment, command.sources, id, context.signal);
  command.renderer.clear();
  return concludeVerify(context, results);
};

export default verify;
