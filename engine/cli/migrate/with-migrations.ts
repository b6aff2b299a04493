import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import type { MigrateEnvironment } from '../../run/migrate/environment.ts';
import type { Context } from '../context.ts';
import { type OpenStack, withStack } from '../open-stack.ts';
import { loadMigrations } from './load-migrations.ts';
import { openMigrateSession } from './migrate-environment.ts';
import { MigrateRenderer } from './migrate-renderer.ts';

export interface MigrationCommand {
  readonly stack: OpenStack;
  readonly environment: MigrateEnvironment;
  /** Those whose tables the stack has. */
  readonly sources: readonly MigrationSource[];
  readonly renderer: MigrateRenderer;
}

/** How fast to work, and on what; commands that only look have none. */
export interface Budgets {
  readonly rate?: number | undefined;
  readonly readRate?: number | undefined;
  readonly segments?: number | undefined;
  readonly includeExpired?: boolean;
}

/** Opens the stack, loads the migrations and lets go of everything afterwards. */
export async function withMigrations(
  context: Context,
  { rate, readRate, segments, includeExpired }: Budgets,
  work: (command: MigrationCommand) => Promise<number>,
): Promise<number> {
  const all = await loadMigrations(context.root, context.catalogue);
  return withStack(context, {}, async (stack) => {
    const renderer = new MigrateRenderer(context.output);
    const session = openMigrateSession(stack, {
      root: context.root,
      emit: renderer.show,
      rate,
      readRate,
      includeExpired,
      ...(segments === undefined ? {} : { tuning: { segments } }),
    });
    try {
      return await work({ stack, environment: session.environment, sources: deployed(all, stack), renderer });
    } finally {
      renderer.clear();
      session.close();
    }
  });
}

/** A stack may deploy some systems only; migrations of other tables are none of its business. */
export function deployed(sources: readonly MigrationSource[], stack: Pick<OpenStack, 'tables'>): readonly MigrationSource[] {
  const names = new Set(stack.tables.map(({ name }) => name));
  return sources.filter(({ migration }) => migration.steps.every((step) => !('table' in step) || names.has(step.table.name)));
}
