import { decideRuns } from '../../core/migrate/decide-runs.ts';
import { tablesOfMigration } from '../../core/migrate/define-migration.ts';
import { LedgerReader } from '../../run/ledger/ledger-reader.ts';
import { checkAlarms } from '../../run/migrate/alarm-watch.ts';
import { indexPlans, pausedTables } from '../../run/migrate/preflight.ts';
import { runMigrations } from '../../run/migrate/run-migrations.ts';
import { runReportOf } from '../../run/remote/execution-report.ts';
import type { Action } from '../context.ts';
import { concludeMigrate } from '../migrate/conclude-migrate.ts';
import { makeSure } from '../migrate/make-sure.ts';
import { openMigrations } from '../migrate/open-migrations.ts';
import { resolveId } from '../migrate/resolve-id.ts';
import { raiseWarm } from '../migrate/warm.ts';
import { patientContext } from '../remote/patient-context.ts';
import { runByWorkers } from '../remote/run-by-workers.ts';
import type spec from './migrate.spec.js';
import plan from './plan.ts';

const migrate: Action<typeof spec> = async (context, given) => {
  if (given.mode === 'dry') return plan(context, given);
  await using command = await openMigrations(patientContext(context, given), given);
  const { phase, accept, pauseOnAlarm } = given;
  const request = { to: given.to === undefined ? undefined : resolveId(command, given.to), phase, accept };
  const decision = decideRuns(command.sources, await new LedgerReader(command.environment).states(), request);
  const migrations = decision.runs.map(({ source }) => source.migration);
  const tables = migrations.flatMap(tablesOfMigration);
  const prepare = async (): Promise<void> => {
    if (given.warm !== undefined && migrations.length > 0) await raiseWarm(context, command.stack, tables, given.warm);
  };
  if (migrations.length > 0) {
    const { alarms } = command.environment;
    if (alarms !== undefined) await checkAlarms(alarms, context.signal);
    const touched = {
      tables,
      paused: migrations.flatMap(pausedTables),
      indexes: indexPlans(migrations),
      migrations: migrations.length,
    };
    await makeSure(context, command, touched, given);
  }
  if (given.mode === 'workers' && decision.runs.length + decision.accepted.length > 0) {
    const { on, workers } = given;
    const asked = pauseOnAlarm ? { ...request, pauseOnAlarm } : request;
    const end = await runByWorkers(context, command, { on, command: 'migrate', request: asked, workers, prepare });
    if (typeof end === 'number') return end;
    const planned = migrations.map(({ id }) => id);
    return await concludeMigrate(context, command, await runReportOf(command.environment, end, planned), phase);
  }
  await prepare();
  const report = await runMigrations(command.environment, command.sources, request, context.signal);
  command.renderer.clear();
  // Awaited: what follows from it reads the ledger, which is let go of at the end of this block.
  return await concludeMigrate(context, command, report, phase);
};

export default migrate;
