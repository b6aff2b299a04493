import type { Phase } from '../../core/migrate/define-migration.ts';
import { plural } from '../../core/show/numbers.ts';
import type { RunReport } from '../../run/migrate/run-migrations.ts';
import type { MigrationResult } from '../../run/migrate/state-writer.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { writeDeadLetters } from './dead-letters.ts';
import { nothingToDo } from './nothing-to-do.ts';
import type { MigrationCommand } from './open-migrations.ts';

/** How a run ended, wherever it ran, and the exit code of that. */
export async function concludeMigrate(
  context: Context,
  command: MigrationCommand,
  report: RunReport,
  phase: Phase | undefined,
): Promise<number> {
  const { outcome, results, notRun } = report;
  const last = results.at(-1);
  const letters = await writeDeadLetters(context, command, last);
  const { file } = letters;
  const value = {
    outcome,
    results: results.map(({ error, ...rest }) => ({ ...rest, error: error?.code ?? null })),
    notRun,
    deadLetters: file ?? null,
  };
  context.output.result(value, () => summary(report, file, phase));
  if (last?.error !== undefined) throw last.error;
  if (letters.failure !== undefined) throw letters.failure;
  return { done: 0, incomplete: 1, failed: 1, interrupted: exitCodes.interrupted }[outcome];
}

function summary({ outcome, results, notRun }: RunReport, file: string | undefined, phase: Phase | undefined): string {
  const last = results.at(-1);
  const verified = results.filter(({ state }) => state === 'verified').length;
  const rest = notRun.length === 0 ? '' : `\nNot begun: ${notRun.join(', ')}.`;
  if (outcome === 'done')
    return results.length === 0 ? nothingToDo(phase) : `${plural(verified, 'migration')} applied and verified.`;
  if (last === undefined) return `Interrupted before the first migration began.${rest}\n→ Go on with 'tablewright migrate'.`;
  if (outcome === 'interrupted')
    return `Interrupted in ${last.id}; its checkpoints are stored.${rest}\n→ Go on with 'tablewright migrate'.`;
  if (outcome === 'failed') return [...deadLines(last), `${last.id} failed.${rest}`].join('\n');
  const why = [
    ...(last.dead > 0 ? [`${plural(last.dead, 'dead letter')}, all with their reasons in ${file ?? 'the ledger'}`] : []),
    ...(last.leftovers > 0 ? [`${plural(last.leftovers, 'item')} left over: ${last.leftoverKeys.join(', ')}`] : []),
  ];
  const next =
    last.dead > 0
      ? `Correct the items or the migration, then run 'tablewright retry ${last.id}'.`
      : "Run 'tablewright migrate' again once nothing writes the old form any more.";
  return [...deadLines(last), `${last.id} is incomplete: ${why.join('; ')}.${rest}`, `→ ${next}`].join('\n');
}

/** The first few, each with its reason. */
export function deadLines({ dead, deadLetters }: MigrationResult): readonly string[] {
  const more = dead - deadLetters.length;
  return [
    ...deadLetters.map(({ key, reason }) => `  ${key}: ${reason}`),
    ...(more > 0 ? [`  … and ${plural(more, 'dead letter')} more`] : []),
  ];
}
