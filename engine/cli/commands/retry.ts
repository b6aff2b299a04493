import { checkKnown } from '../../core/migrate/decide-runs.ts';
import { tablesOfMigration } from '../../core/migrate/define-migration.ts';
import { LedgerReader } from '../../run/ledger/ledger-reader.ts';
import { pausedTables } from '../../run/migrate/preflight.ts';
import { runRetry } from '../../run/migrate/run-retry.ts';
import { runReportOf } from '../../run/remote/execution-report.ts';
import type { Action } from '../context.ts';
import { concludeRetry } from '../migrate/conclude-retry.ts';
import { makeSure } from '../migrate/make-sure.ts';
import { openMigrations } from '../migrate/open-migrations.ts';
import { resolveId } from '../migrate/resolve-id.ts';
import { patientContext } from '../remote/patient-context.ts';
import { runByWorkers } from '../remote/run-by-workers.ts';
import type spec from './retry.spec.js';

const retry: Action<typeof spec> = async (context, given) => {
  await using command = await openMigrations(patientContext(context, given), given);
  const source = checkKnown(command.sources, resolveId(command, given.migration));
  await makeSure(
    context,
    command,
    { tables: tablesOfMigration(source.migration), paused: pausedTables(source.migration), migrations: 1 },
    given,
  );
  if (given.mode === 'workers') {
    const tried = (await new LedgerReader(command.environment).dead(source.migration.id)).length;
    const request = { id: source.migration.id };
    const end = await runByWorkers(context, command, { on: given.on, command: 'retry', request, workers: given.workers });
    if (typeof end === 'number') return end;
    const { results } = await runReportOf(command.environment, end, []);
    const result = results.find(({ id }) => id === request.id);
    if (result === undefined) throw new TypeError(`${request.id}: the execution came to its end without it`);
    return await concludeRetry(context, command, { tried, dead: result.dead, result });
  }
  const report = await runRetry(command.environment, source, context.signal);
  command.renderer.clear();
  // Awaited: it reads the ledger, which is let go of at the end of this block.
  return await concludeRetry(context, command, report);
};

export default retry;
