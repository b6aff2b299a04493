import { TablewrightError } from '../../../tables/model/error.ts';
import type { MigrateEvent } from '../../core/migrate/migrate-event.ts';
import { type RunReport, runMigrations } from '../../run/migrate/run-migrations.ts';
import type { Context } from '../context.ts';
import type { OpenStack } from '../open-stack.ts';
import { loadMigrations } from './load-migrations.ts';
import { openMigrateSession } from './migrate-environment.ts';
import { deployed } from './open-migrations.ts';

export interface PendingReport extends RunReport {
  /** All migrations of the project. */
  readonly total: number;
}

/** Runs every pending migration on an open stack. For `up`: silent, harmless when repeated, throws unless all are verified. */
export async function runPendingMigrations(
  context: Pick<Context, 'root' | 'project' | 'signal' | 'catalogue'>,
  stack: OpenStack,
  emit: (event: MigrateEvent) => void = () => undefined,
): Promise<PendingReport> {
  const all = await loadMigrations(context);
  const sources = deployed(all, stack);
  const session = openMigrateSession(stack, { root: context.root, emit, signal: context.signal });
  try {
    const report = await runMigrations(session.environment, sources, { accept: true }, context.signal);
    failUnlessDone(report);
    return { ...report, total: all.length };
  } finally {
    session.close();
  }
}

function failUnlessDone({ outcome, results }: RunReport): void {
  const last = results.at(-1);
  if (outcome === 'done' || outcome === 'interrupted' || last === undefined) return;
  if (last.error !== undefined) throw last.error;
  throw new TablewrightError(
    'MIGRATION_FAILED',
    `${last.id} is ${last.state}: ${last.dead} dead letters, ${last.leftovers} left over`,
    {
      problems: last.deadLetters.map(({ key, reason }) => `${key}: ${reason}`),
      next: `Run 'tablewright history ${last.id}' to see why.`,
    },
  );
}
