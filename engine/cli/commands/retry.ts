import { checkKnown } from '../../core/migrate/decide-runs.ts';
import { plural } from '../../core/show/numbers.ts';
import { runRetry } from '../../run/migrate/run-retry.ts';
import type { Action } from '../context.ts';
import { writeDeadLetters } from '../migrate/dead-letters.ts';
import { openMigrations } from '../migrate/open-migrations.ts';
import { resolveId } from '../migrate/resolve-id.ts';
import { makeSure } from './migrate.ts';
import type spec from './retry.spec.js';

const retry: Action<typeof spec> = async (context, given) => {
  await using command = await openMigrations(context, given);
  const source = checkKnown(command.sources, resolveId(command, given.migration));
  await makeSure(context, command, [source.migration], given);
  const { tried, dead, result } = await runRetry(command.environment, source, context.signal);
  command.renderer.clear();
  const file = result.dead > 0 ? await writeDeadLetters(context, command, result.id) : undefined;
  context.output.result({ migration: result.id, tried, dead, state: result.state, deadLetters: file ?? null }, () => {
    const settled = `${tried - dead} of ${plural(tried, 'dead letter')} settled; ${result.id} is ${result.state}.`;
    return file === undefined ? settled : `${settled}\n→ The others are in ${file} with their reasons.`;
  });
  return result.state === 'verified' ? 0 : 1;
};

export default retry;
