import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import type { MigrateEnvironment } from '../../run/migrate/environment.ts';
import type { CommandOptions, Context } from '../context.ts';
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

/** Opens the stack, loads the migrations and lets go of everything afterwards. */
export async function withMigrations(
  context: Context,
  options: CommandOptions,
  work: (command: MigrationCommand) => Promise<number>,
): Promise<number> {
  const all = await loadMigrations(context.root, context.catalogue);
  return withStack(context, {}, async (stack) => {
    const renderer = new MigrateRenderer(context.output);
    const session = openMigrateSession(stack, {
      root: context.root,
      emit: renderer.show,
      rate: options.rate as number | undefined,
      readRate: options.readRate as number | undefined,
      includeExpired: options.includeExpired === true,
      ...(typeof options.segments === 'number' ? { tuning: { segments: options.segments } } : {}),
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
