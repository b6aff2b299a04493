import { plural, showNumber } from '../../core/show/numbers.ts';
import type { RollbackResult } from '../../run/migrate/rollback/rollback-migration.ts';
import type { RollbackReport } from '../../run/migrate/rollback/run-rollback.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { countsText } from './migrate-renderer.ts';

/** What a rollback restored, wherever it ran, and the exit code of that. */
export function concludeRollback(context: Context, { outcome, results }: RollbackReport): number {
  context.output.result({ outcome, results }, () => {
    if (results.length === 0) return 'Nothing to roll back.';
    const lines = results.flatMap(describe);
    return [...lines, ...(outcome === 'done' ? [] : ["→ Interrupted; run 'tablewright rollback' again to go on."])].join('\n');
  });
  return outcome === 'done' ? 0 : exitCodes.interrupted;
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
