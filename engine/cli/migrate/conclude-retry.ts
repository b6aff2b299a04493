import { plural } from '../../core/show/numbers.ts';
import type { RetryReport } from '../../run/migrate/run-retry.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { deadLines } from './conclude-migrate.ts';
import { writeDeadLetters } from './dead-letters.ts';
import type { MigrationCommand } from './open-migrations.ts';

/** What became of the dead letters, wherever they were gone over, and the exit code of that. */
export async function concludeRetry(
  context: Context,
  command: MigrationCommand,
  { tried, dead, result }: RetryReport,
): Promise<number> {
  const { file, failure } = await writeDeadLetters(context, command, result);
  context.output.result({ migration: result.id, tried, dead, state: result.state, deadLetters: file ?? null }, () => {
    const settled = `${tried - dead} of ${plural(tried, 'dead letter')} settled; ${result.id} is ${result.state}.`;
    if (result.state === 'interrupted')
      return `${settled}\n→ Go on with 'tablewright retry ${result.id}' or 'tablewright migrate'.`;
    const rest = file === undefined ? [] : [`→ The others are in ${file} with their reasons.`];
    const left =
      result.leftovers === 0 ? [] : [`→ Left over: ${result.leftoverKeys.join(', ')}; 'tablewright migrate' goes on with it.`];
    return [settled, ...deadLines(result), ...rest, ...left].join('\n');
  });
  if (failure !== undefined) throw failure;
  if (result.state === 'interrupted') return exitCodes.interrupted;
  return result.state === 'verified' ? 0 : 1;
}
