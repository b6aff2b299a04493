import { runVerify } from '../../run/migrate/run-verify.ts';
import type { CommandFunction } from '../context.ts';
import { plural } from '../migrate/format.ts';
import { resolveId } from '../migrate/resolve-id.ts';
import { withMigrations } from '../migrate/with-migrations.ts';
import { interruptedExitCode } from '../run-command.ts';

const verify: CommandFunction = async (context, [given], options) =>
  withMigrations(context, options, async (command) => {
    const id = resolveId(command, given);
    const results = await runVerify(command.environment, command.sources, id, context.signal);
    command.renderer.clear();
    const left = results.filter(({ state }) => state !== 'verified');
    context.output.result(
      results.map(({ id: migration, state, leftovers, leftoverKeys }) => ({ migration, state, leftovers, leftoverKeys })),
      () => {
        if (results.length === 0) return 'Nothing to verify: no migration is applied.';
        if (left.length === 0) return `${plural(results.length, 'migration')} verified: nothing is left over.`;
        const lines = left.map(
          (result) => `${result.id}: ${plural(result.leftovers, 'item')} left over: ${result.leftoverKeys.join(', ')}`,
        );
        return [...lines, "→ Run 'tablewright migrate' to take them in."].join('\n');
      },
    );
    if (left.some(({ state }) => state === 'interrupted')) return interruptedExitCode;
    return left.length === 0 ? 0 : 1;
  });

export default verify;
