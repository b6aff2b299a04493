import { checkKnown } from '../../core/migrate/decide-runs.ts';
import { tablesOfMigration } from '../../core/migrate/define-migration.ts';
import { plural } from '../../core/show/numbers.ts';
import { pausedTables } from '../../run/migrate/preflight.ts';
import { runRetry } from '../../run/migrate/run-retry.ts';
import type { Action } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { writeDeadLetters } from '../migrate/dead-letters.ts';
import { openMigrations } from '../migrate/open-migrations.ts';
import { resolveId } from '../migrate/resolve-id.ts';
import { deadLines, makeSure } from './migrate.ts';
import type spec from './retry.spec.js';

const retry: Action<typeof spec> = async (context, given) => {
  await using command = await openMigrations(context, given);
  const source = checkKnown(command.sources, resolveId(command, given.migration));
  await makeSure(
    context,
    command,
    { tables: tablesOfMigration(source.migration), paused: pausedTables(source.migration), migrations: 1 },
    given,
  );
  const { tried, dead, result } = await runRetry(command.environment, source, context.signal);
  command.renderer.clear();
  const { file, failure } = await writeDeadLetters(context, command, result);
  context.output.result({ migration: result.id, tried, dead, state: result.state, deadLetters: file ?? null }, () => {
    const settled = `${tried - dead} of ${plural(tried, 'dead letter')} settled; ${result.id} is ${result.state}.`;
    if (result.state === 'interrupted')
      return `${settled}\n→ Go on with 'tablewright retry ${result.id}' or 'tablewright migrate'.`;
    const rest = file === undefined ? [] : [`→ The others are in ${file} with their reasons.`];
    return [settled, ...deadLines(result), ...rest].join('\n');
  });
  if (failure !== undefined) throw failure;
  if (result.state === 'interrupted') return exitCodes.interrupted;
  return result.state === 'verified' ? 0 : 1;
};

export default retry;
