import { decideRollback, rollbackAll } from '../../core/migrate/decide-rollback.ts';
import { LedgerReader } from '../../run/ledger/ledger-reader.ts';
import { runRollback } from '../../run/migrate/rollback/run-rollback.ts';
import type { Action } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { countsText } from '../migrate/migrate-renderer.ts';
import { openMigrations } from '../migrate/open-migrations.ts';
import { resolveId } from '../migrate/resolve-id.ts';
import { makeSure } from './migrate.ts';
import type spec from './rollback.spec.js';

const rollback: Action<typeof spec> = async (context, given) => {
  await using command = await openMigrations(context, given);
  const { environment, sources, renderer } = command;
  const to = given.to === undefined || given.to === rollbackAll ? given.to : resolveId(command, given.to);
  const chosen = decideRollback(sources, await new LedgerReader(environment).states(), to);
  if (chosen.length > 0)
    await makeSure(
      context,
      command,
      chosen.map(({ source }) => source.migration),
      given,
    );
  const { outcome, results } = await runRollback(environment, sources, to, context.signal);
  renderer.clear();
  context.output.result({ outcome, results }, () => {
    if (results.length === 0) return 'Nothing to roll back.';
    const lines = results.map(
      ({ id, outcome: how, counts }) => `${id} ${how}: ${countsText(counts).replace('changed', 'restored')}`,
    );
    return [...lines, ...(outcome === 'done' ? [] : ["→ Interrupted; run 'tablewright rollback' again to go on."])].join('\n');
  });
  return outcome === 'done' ? 0 : exitCodes.interrupted;
};

export default rollback;
