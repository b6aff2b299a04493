import { TablewrightError } from '../../../../tables/model/error.ts';
import { decideRollback, notUndoable } from '../../../core/migrate/decide-rollback.ts';
import type { MigrationSource } from '../../../core/migrate/migration-set.ts';
import { plural } from '../../../core/show/numbers.ts';
import { LedgerReader } from '../../ledger/ledger-reader.ts';
import { type Session, withLock } from '../../ledger/session.ts';
import type { MigrateEnvironment } from '../environment.ts';
import { refuseWhilePaused } from '../pause-runs.ts';
import { type RollbackResult, rollbackMigration } from './rollback-migration.ts';
import { type SurveyedMigration, surveyMigration } from './survey-journal.ts';

export interface RollbackReport {
  readonly outcome: 'done' | 'interrupted';
  readonly results: readonly RollbackResult[];
}

export interface RollbackOptions {
  /** Restore what the journal has where a part of it is missing. */
  readonly acceptGaps?: boolean | undefined;
}

export async function runRollback(
  environment: MigrateEnvironment,
  sources: readonly MigrationSource[],
  to: string | undefined,
  signal: AbortSignal,
  options: RollbackOptions = {},
): Promise<RollbackReport> {
  const reader = new LedgerReader(environment);
  await refuseWhilePaused(reader);
  if (decideRollback(sources, await reader.states(), to).length === 0) return { outcome: 'done', results: [] };
  return withLock(environment, 'rollback', signal, async (session) => {
    const chosen = decideRollback(sources, await reader.states(), to);
    const surveyed: SurveyedMigration[] = [];
    for (const planned of chosen) surveyed.push(await surveyMigration(session, planned));
    refuseUndoing(surveyed, options);
    return rollbackInOrder(session, surveyed);
  });
}

async function rollbackInOrder(session: Session, surveyed: readonly SurveyedMigration[]): Promise<RollbackReport> {
  const results: RollbackResult[] = [];
  for (const migration of surveyed) {
    if (session.stop.aborted) return { outcome: 'interrupted', results };
    const result = await rollbackMigration(session, migration);
    results.push(result);
    if (result.outcome === 'interrupted') return { outcome: 'interrupted', results };
  }
  return { outcome: 'done', results };
}

/** All that is in the way of all of them, before the first is touched. */
function refuseUndoing(surveyed: readonly SurveyedMigration[], { acceptGaps = false }: RollbackOptions): void {
  const problems = surveyed.flatMap((migration) => migration.problems);
  if (problems.length > 0) throw notUndoable(problems);
  const gaps = surveyed.flatMap((migration) => migration.gaps);
  if (gaps.length === 0 || acceptGaps) return;
  throw new TablewrightError(
    'JOURNAL_GAP',
    'a part of the journal is missing, so not everything can be restored; nothing was changed',
    {
      problems: gaps.map(({ where, what, items }) => `${where}: ${what}: ${held(items)}`),
      next: "Run 'tablewright rollback --accept-gaps' to restore the rest and leave those items as they are, or restore the table to a point in time.",
    },
  );
}

const held = (items: number | undefined): string =>
  items === undefined ? 'how many items it held cannot be told' : `it may hold ${plural(items, 'item')}`;
