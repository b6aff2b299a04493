import { decideRollback } from '../../../core/migrate/decide-rollback.ts';
import type { MigrationSource } from '../../../core/migrate/migration-set.ts';
import { LedgerReader } from '../../ledger/ledger-reader.ts';
import { withLock } from '../../ledger/session.ts';
import type { MigrateEnvironment } from '../environment.ts';
import { refuseWhilePaused } from '../pause-runs.ts';
import { type RollbackResult, rollbackMigration } from './rollback.ts';

export interface RollbackReport {
  readonly outcome: 'done' | 'interrupted';
  readonly results: readonly RollbackResult[];
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
