import { decideRollback, knownId, type PlannedRollback, rollbackAll } from '../../core/migrate/decide-rollback.ts';
import { tablesOfMigration } from '../../core/migrate/define-migration.ts';
import { LedgerReader } from '../../run/ledger/ledger-reader.ts';
import { pausedTables } from '../../run/migrate/preflight.ts';
import { runRollback } from '../../run/migrate/rollback/run-rollback.ts';
import { rollbackReportOf } from '../../run/remote/execution-report.ts';
import type { Action } from '../context.ts';
import { concludeRollback } from '../migrate/conclude-rollback.ts';
import { makeSure, type Touched } from '../migrate/make-sure.ts';
import { type MigrationCommand, openMigrations, openWhatLoads } from '../migrate/open-migrations.ts';
import { patientContext } from '../remote/patient-context.ts';
import { runByWorkers } from '../remote/run-by-workers.ts';
import type spec from './rollback.spec.js';

const rollback: Action<typeof spec> = async (context, given) => {
  // Workers have all files or none: what cannot be loaded is left out on this machine only.
  await using command = await (given.mode === 'workers' ? openMigrations : openWhatLoads)(patientContext(context, given), given);
  const { environment, sources, renderer } = command;
  const states = await new LedgerReader(environment).states();
  const to = given.to === undefined || given.to === rollbackAll ? given.to : knownId(sources, states, given.to);
  const chosen = decideRollback(sources, states, to);
  if (chosen.length > 0) await makeSure(context, command, await touchedBy(command, chosen), given);
  const { acceptGaps } = given;
  if (given.mode === 'workers' && chosen.length > 0) {
    const end = await runByWorkers(context, command, {
      on: given.on,
      command: 'rollback',
      request: { to, acceptGaps },
      workers: given.workers,
    });
    return typeof end === 'number' ? end : concludeRollback(context, await rollbackReportOf(environment, end));
  }
  const report = await runRollback(environment, sources, to, context.signal, { acceptGaps });
  renderer.clear();
  return concludeRollback(context, report);
};

/** The tables that were written to, by the ledger; those of the file, where it is there, as well. */
async function touchedBy({ environment, stack }: MigrationCommand, chosen: readonly PlannedRollback[]): Promise<Touched> {
  const reader = new LedgerReader(environment);
  const steps = (await Promise.all(chosen.map(({ state }) => reader.steps(state.id)))).flat();
  const names = new Set(steps.map(({ table }) => table));
  const ofFiles = chosen.flatMap(({ source }) => (source === undefined ? [] : tablesOfMigration(source.migration)));
  const tables = [...stack.tables.filter(({ name }) => names.has(name)), ...ofFiles];
  const paused = chosen.flatMap(({ source }) => (source === undefined ? [] : pausedTables(source.migration)));
  return { tables: [...new Set(tables)], paused, migrations: chosen.length };
}

export default rollback;
