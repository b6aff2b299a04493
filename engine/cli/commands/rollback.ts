import { decideRollback, knownId, type PlannedRollback, rollbackAll } from '../../core/migrate/decide-rollback.ts';
import { tablesOfMigration } from '../../core/migrate/define-migration.ts';
import { plural, showNumber } from '../../core/show/numbers.ts';
import { LedgerReader } from '../../run/ledger/ledger-reader.ts';
import { pausedTables } from '../../run/migrate/preflight.ts';
import type { RollbackResult } from '../../run/migrate/rollback/rollback-migration.ts';
import { runRollback } from '../../run/migrate/rollback/run-rollback.ts';
import type { Action } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { countsText } from '../migrate/migrate-renderer.ts';
import { type MigrationCommand, openWhatLoads } from '../migrate/open-migrations.ts';
import { makeSure, type Touched } from './migrate.ts';
import type spec from './rollback.spec.js';

const rollback: Action<typeof spec> = async (context, given) => {
  await using command = await openWhatLoads(context, given);
  const { environment, sources, renderer } = command;
  const states = await new LedgerReader(environment).states();
  const to = given.to === undefined || given.to === rollbackAll ? given.to : knownId(sources, states, given.to);
  const chosen = decideRollback(sources, states, to);
  if (chosen.length > 0) await makeSure(context, command, await touchedBy(command, chosen), given);
  const { acceptGaps } = given;
  const { outcome, results } = await runRollback(environment, sources, to, context.signal, { acceptGaps });
  renderer.clear();
  context.output.result({ outcome, results }, () => {
    if (results.length === 0) return 'Nothing to roll back.';
    const lines = results.flatMap(describe);
    return [...lines, ...(outcome === 'done' ? [] : ["→ Interrupted; run 'tablewright rollback' again to go on."])].join('\n');
  });
  return outcome === 'done' ? 0 : exitCodes.interrupted;
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

function describe({ id, outcome, counts, keptKeys, missing }: RollbackResult): readonly string[] {
  const more = counts.kept - keptKeys.length;
  const kept = [...keptKeys, ...(more > 0 ? [`${showNumber(more)} more`] : [])];
  const lost = missing === undefined ? 'nobody knows how many items' : plural(missing, 'item');
  return [
    `${id} ${outcome}: ${countsText(counts, 'rollback')}`,
    ...(keptKeys.length === 0 ? [] : [`  kept: ${kept.join(', ')}`]),
    ...(missing === 0 ? [] : [`  not restored, because their journal is missing: ${lost}`]),
  ];
}

export default rollback;
