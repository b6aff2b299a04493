import type { Table } from '../../../tables/model/table.ts';
import { callerAccount } from '../../aws/caller-account.ts';
import { decideRuns } from '../../core/migrate/decide-runs.ts';
import { type Phase, tablesOfMigration } from '../../core/migrate/define-migration.ts';
import { plural } from '../../core/show/numbers.ts';
import { LedgerReader } from '../../run/ledger/ledger-reader.ts';
import { checkAlarms } from '../../run/migrate/alarm-watch.ts';
import { type IndexPlans, indexPlans, pausedTables, preflight } from '../../run/migrate/preflight.ts';
import { type RunReport, runMigrations } from '../../run/migrate/run-migrations.ts';
import type { MigrationResult } from '../../run/migrate/state-writer.ts';
import { confirmProduction } from '../confirm-production.ts';
import type { Action, Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { writeDeadLetters } from '../migrate/dead-letters.ts';
import { nothingToDo } from '../migrate/nothing-to-do.ts';
import { type MigrationCommand, openMigrations } from '../migrate/open-migrations.ts';
import { resolveId } from '../migrate/resolve-id.ts';
import { raiseWarm } from '../migrate/warm.ts';
import type spec from './migrate.spec.js';
import plan from './plan.ts';

const migrate: Action<typeof spec> = async (context, given) => {
  if (given.mode === 'dry') return plan(context, given);
  await using command = await openMigrations(context, given);
  const { phase, accept } = given;
  const request = { to: given.to === undefined ? undefined : resolveId(command, given.to), phase, accept };
  const decision = decideRuns(command.sources, await new LedgerReader(command.environment).states(), request);
  const migrations = decision.runs.map(({ source }) => source.migration);
  if (migrations.length > 0) {
    const { alarms } = command.environment;
    if (alarms !== undefined) await checkAlarms(alarms, context.signal);
    const touched = {
      tables: migrations.flatMap(tablesOfMigration),
      paused: migrations.flatMap(pausedTables),
      indexes: indexPlans(migrations),
      migrations: migrations.length,
    };
    await makeSure(context, command, touched, given);
    if (given.warm !== undefined) await raiseWarm(context, command.stack, touched.tables, given.warm);
  }
  const report = await runMigrations(command.environment, command.sources, request, context.signal);
  command.renderer.clear();
  // Awaited: what follows from it reads the ledger, which is let go of at the end of this block.
  return await conclude(context, command, report, phase);
};

export interface Guards {
  readonly yes: boolean;
  readonly noPitrOk: boolean;
}

/** What a command is about to work on. */
export interface Touched {
  readonly tables: readonly Table[];
  /** Those whose consumers have to be paused. */
  readonly paused?: readonly Table[];
  /** What becomes of their indexes. */
  readonly indexes?: IndexPlans;
  readonly migrations: number;
}

/** Preflight and, in production, the typed confirmation: all before the first write. */
export async function makeSure(
  context: Context,
  { environment, stack }: MigrationCommand,
  { tables, paused, indexes, migrations }: Touched,
  { yes, noPitrOk }: Guards,
): Promise<void> {
  const { region } = stack.config;
  const lacks = await stack.lacks(context.signal);
  const checks = { callerAccount: () => callerAccount(region, stack.endpoint, stack.patience), lacks, paused, indexes, noPitrOk };
  await preflight(environment, tables, checks, context.signal);
  await confirmProduction(context, stack.config, yes, plural(migrations, 'migration'));
}

async function conclude(
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

export default migrate;
