import { plural } from '../../core/show/numbers.ts';
import type { RetryReport } from '../../run/migrate/run-retry.ts';
import type { Context } from '../context.ts';
import { deadLines } from './conclude-migrate.ts';
import { writeDeadLetters } from './dead-letters.ts';
import type { MigrationCommand } from './open-migrations.ts';

/** What became of the dead letters, wherever they were gone over, and the exit code of that. */
export async function concludeRetry(
  context: Context,
  command: MigrationCommand,
  { tried, dead, result }: RetryReport,
): Promise<number> {
  const file = result.dead > 0 ? await writeDeadLetters(context, command, result.id) : undefined;
  context.output.result({ migration: result.id, tried, dead, state: result.state, deadLetters: file ?? null }, () => {
    const settled = `${tried - dead} of ${plural(tried, 'dead letter')} settled; ${result.id} is ${result.state}.`;
    if (file === undefined) return settled;
    return [settled, ...deadLines(result), `→ The others are in ${file} with their reasons.`].join('\n');
  });
  return result.state === 'verified' ? 0 : 1;
}
