import { plural } from '../../core/show/numbers.ts';
import type { MigrationResult } from '../../run/migrate/state-writer.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';

/** What a verify found, wherever it ran, and the exit code of that. */
export function concludeVerify(context: Context, results: readonly MigrationResult[]): number {
  const left = results.filter(({ state }) => state === 'incomplete');
  const unseen = results.filter(({ state }) => state === 'interrupted').map((result) => result.id);
  context.output.result(
    {
      results: results.map(({ id: migration, state, leftovers, leftoverKeys }) => ({
        migration,
        state,
        leftovers,
        leftoverKeys,
      })),
    },
    () => {
      if (results.length === 0) return 'Nothing to verify: no migration is applied.';
      if (left.length + unseen.length === 0) return `${plural(results.length, 'migration')} verified: nothing is left over.`;
      return [
        ...left.map((result) => `${result.id}: ${plural(result.leftovers, 'item')} left over: ${result.leftoverKeys.join(', ')}`),
        ...(unseen.length === 0 ? [] : [`Interrupted; not looked at to the end: ${unseen.join(', ')}.`]),
        ...(left.length === 0 ? [] : ["→ Run 'tablewright migrate' to take them in."]),
      ].join('\n');
    },
  );
  if (unseen.length > 0) return exitCodes.interrupted;
  return left.length === 0 ? 0 : 1;
}
