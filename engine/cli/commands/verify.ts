import { plural } from '../../core/show/numbers.ts';
import { runVerify } from '../../run/migrate/run-verify.ts';
import type { Action } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { openMigrations } from '../migrate/open-migrations.ts';
import { resolveId } from '../migrate/resolve-id.ts';
import type spec from './verify.spec.js';

const verify: Action<typeof spec> = async (context, given) => {
  await using command = await openMigrations(context, given);
  const id = given.migration === undefined ? undefined : resolveId(command, given.migration);
  const results = await runVerify(command.environment, command.sources, id, context.signal);
  command.renderer.clear();
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
};

export default verify;
