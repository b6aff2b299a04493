import { TablewrightError } from '../../../../tables/model/error.ts';
import type { StateRecord } from '../../../core/ledger/ledger-records.ts';
import { checkKnown } from '../../../core/migrate/decide-runs.ts';
import type { MigrationSource } from '../../../core/migrate/migration-set.ts';
import { LedgerReader } from '../../ledger/ledger-reader.ts';
import { withLock } from '../../ledger/session.ts';
import type { MigrateEnvironment } from '../environment.ts';
import { refuseWhilePaused } from '../run-migrations.ts';
import { type RollbackResult, rollbackMigration, rollbackProblems } from './rollback.ts';

export interface RollbackReport {
  readonly outcome: 'done' | 'interrupted';
  readonly results: readonly RollbackResult[];
}

/** Everything. */
export const rollbackAll = '0';

/** What a rollback undoes, newest first: all after `to`, or the last one. Pure. */
export function decideRollback(
  sources: readonly MigrationSource[],
  states: readonly StateRecord[],
  to: string | undefined,
): readonly { readonly source: MigrationSource; readonly state: StateRecord }[] {
  const target = to === undefined || to === rollbackAll ? '' : checkKnown(sources, to).migration.id;
  const touched = states.filter(({ state }) => state !== 'rolled-back').toSorted((a, b) => (a.id < b.id ? 1 : -1));
  const chosen = to === undefined ? touched.slice(0, 1) : touched.filter(({ id }) => id > target);
  const problems: string[] = [];
  const found = chosen.flatMap((state) => {
    const source = sources.find(({ migration }) => migration.id === state.id);
    if (source === undefined) problems.push(`${state.id}: its file is not in migrations/, so its steps are not known`);
    else problems.push(...rollbackProblems(source.migration));
    return source === undefined ? [] : [{ source, state }];
  });
  if (problems.length === 0) return found;
  throw new TablewrightError('BAD_MIGRATION', 'these migrations cannot be rolled back', {
    problems,
    next: 'Give the steps an undo, or restore the table to a point in time.',
  });
}

export async function runRollback(
  environment: MigrateEnvironment,
  sources: readonly MigrationSource[],
  to: string | undefined,
  signal: AbortSignal,
): Promise<RollbackReport> {
  const reader = new LedgerReader(environment);
  await refuseWhilePaused(reader);
  if (decideRollback(sources, await reader.states(), to).length === 0) return { outcome: 'done', results: [] };
  return withLock(environment, 'rollback', signal, async (session) => {
    const results: RollbackResult[] = [];
    for (const { source, state } of decideRollback(sources, await reader.states(), to)) {
      if (session.stop.aborted) return { outcome: 'interrupted', results };
      const result = await rollbackMigration(session, source.migration, state);
      results.push(result);
      if (result.outcome === 'interrupted') return { outcome: 'interrupted', results };
    }
    return { outcome: 'done', results };
  });
}
