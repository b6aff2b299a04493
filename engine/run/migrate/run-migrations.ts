import { TablewrightError } from '../../../tables/model/error.ts';
import { stateRecord } from '../../../tables/tablewright/migration-records.ts';
import { setMembers } from '../../core/ledger/ledger-write.ts';
import { decideRuns, type PlannedRun, type RunRequest } from '../../core/migrate/decide-runs.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { LedgerReader } from '../ledger/ledger-reader.ts';
import { type Session, withLock } from '../ledger/session.ts';
import type { MigrateEnvironment } from './environment.ts';
import { runMigration } from './run-migration.ts';
import type { MigrationResult } from './state-writer.ts';

/** `done`: everything asked for is verified. The others are how the last migration ended; those after it were not begun. */
export interface RunReport {
  readonly outcome: 'done' | 'incomplete' | 'failed' | 'interrupted';
  readonly results: readonly MigrationResult[];
  /** Not begun, because one before them did not get to its end. */
  readonly notRun: readonly string[];
}

/** Runs what is pending, in order. */
export async function runMigrations(
  environment: MigrateEnvironment,
  sources: readonly MigrationSource[],
  request: RunRequest,
  signal: AbortSignal,
): Promise<RunReport> {
  const reader = new LedgerReader(environment);
  await refuseWhilePaused(reader);
  // Looked at before the lock too: nothing to do, or a problem, needs no lock.
  const early = decideRuns(sources, await reader.states(), request);
  if (early.runs.length === 0 && early.accepted.length === 0) return { outcome: 'done', results: [], notRun: [] };
  return withLock(environment, 'migrate', signal, async (session) => {
    const { runs, accepted } = decideRuns(sources, await reader.states(), request);
    for (const source of accepted) await acceptSource(session, source);
    return runInOrder(session, runs);
  });
}

async function runInOrder(session: Session, runs: readonly PlannedRun[]): Promise<RunReport> {
  const results: MigrationResult[] = [];
  for (const [at, planned] of runs.entries()) {
    const rest = runs.slice(at).map(({ source }) => source.migration.id);
    if (session.stop.aborted) return { outcome: 'interrupted', results, notRun: rest };
    const result = await runMigration(session, planned);
    results.push(result);
    const { state } = result;
    if (state === 'failed' || state === 'incomplete' || state === 'interrupted') {
      return { outcome: state, results, notRun: rest.slice(1) };
    }
  }
  return { outcome: 'done', results, notRun: [] };
}

/** A settled migration whose file was changed is taken as it is now. */
export async function acceptSource({ ledger, history }: Session, { migration, checksum }: MigrationSource): Promise<void> {
  await ledger.commit([
    setMembers(stateRecord, { id: migration.id }, { checksum, description: migration.description }),
    history(migration.id, 'accepted', `checksum ${checksum.slice(0, 12)}`),
  ]);
}

export async function refuseWhilePaused(reader: LedgerReader): Promise<void> {
  const paused = await reader.pause();
  if (paused === undefined) return;
  throw new TablewrightError('LOCKED', `the migrations of this stack were paused by ${paused.by} at ${paused.at}`, {
    next: "Run 'tablewright resume' first.",
  });
}
