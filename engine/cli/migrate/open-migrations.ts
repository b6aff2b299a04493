import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import type { MigrateEnvironment } from '../../run/migrate/environment.ts';
import type { Context } from '../context.ts';
import { type OpenStack, openStack } from '../open-stack.ts';
import { loadMigrations, loadWhatLoads } from './load-migrations.ts';
import { type MigrateOptions, type MigrateSession, openMigrateSession } from './migrate-environment.ts';
import { MigrateRenderer } from './migrate-renderer.ts';

/** An open stack and its ledger, without the files in migrations/. */
export interface LedgerCommand extends AsyncDisposable {
  readonly stack: OpenStack;
  readonly environment: MigrateEnvironment;
  readonly renderer: MigrateRenderer;
}

export interface MigrationCommand extends LedgerCommand {
  /** Those whose tables the stack has. */
  readonly sources: readonly MigrationSource[];
}

/** How fast to work, and on what; commands that only look have none. */
export interface Budgets {
  readonly rate?: number | undefined;
  readonly readRate?: number | undefined;
  readonly segments?: number | undefined;
  readonly includeExpired?: boolean;
  readonly pauseOnAlarm?: boolean;
}

/** Opens the stack and loads the migrations; `await using` lets go of everything afterwards. */
export async function openMigrations(context: Context, budgets: Budgets = {}): Promise<MigrationCommand> {
  const all = await loadMigrations(context);
  const opened = await openLedger(context, budgets);
  return { ...opened, sources: deployed(all, opened.stack) };
}

/** As `openMigrations` for what the ledger knows by itself: files that cannot be loaded are told of and left out. */
export async function openWhatLoads(context: Context, budgets: Budgets = {}): Promise<MigrationCommand> {
  const { sources, failures } = await loadWhatLoads(context);
  const opened = await openLedger(context, budgets);
  for (const { message } of failures) context.output.aside({ event: 'left-out', message }, `Left out: ${message}`);
  return { ...opened, sources: deployed(sources, opened.stack) };
}

/** Opens the stack for work on the ledger alone: no file in migrations/ is in its way. */
export async function openLedger(context: Context, budgets: Budgets = {}): Promise<LedgerCommand> {
  const { rate, readRate, segments, includeExpired, pauseOnAlarm } = budgets;
  const stack = await openStack(context);
  const renderer = new MigrateRenderer(context.output);
  const tuning = segments === undefined ? {} : { tuning: { segments } };
  const session = await openSession(stack, {
    root: context.root,
    emit: renderer.show,
    signal: context.signal,
    rate,
    readRate,
    includeExpired,
    pauseOnAlarm,
    ...tuning,
  });
  return {
    stack,
    environment: session.environment,
    renderer,
    [Symbol.asyncDispose]: async () => {
      renderer.clear();
      session.close();
      await stack.close();
    },
  };
}

/** What cannot be opened lets go of the stack. */
async function openSession(stack: OpenStack, options: MigrateOptions): Promise<MigrateSession> {
  try {
    return openMigrateSession(stack, options);
  } catch (error) {
    await stack.close();
    throw error;
  }
}

/** A stack may deploy some systems only; migrations of other tables are none of its business. */
export function deployed(sources: readonly MigrationSource[], stack: Pick<OpenStack, 'tables'>): readonly MigrationSource[] {
  const names = new Set(stack.tables.map(({ name }) => name));
  return sources.filter(({ migration }) => migration.steps.every((step) => !('table' in step) || names.has(step.table.name)));
}
