import { TablewrightError } from '../../../tables/model/error.ts';
import type { HistoryKind, StateRecord } from '../../../tables/tablewright/migration-records.ts';
import type { PlannedRun, RunKind } from '../../core/migrate/decide-runs.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import type { Session } from '../ledger/session.ts';
import type { RunContext } from './run-context.ts';
import { runSteps } from './run-steps.ts';
import { type MigrationResult, StateWriter } from './state-writer.ts';
import { Timeline } from './timeline.ts';
import { verifySteps } from './verify-steps.ts';

/** Passes over a table whose items keep being written in the old form, before the run is called incomplete. */
export const maxPasses = 3;

/** Runs one migration to its end, as far as it gets, and leaves the truth in the ledger. A lost lock is thrown. */
export async function runMigration(session: Session, { source, kind }: PlannedRun): Promise<MigrationResult> {
  const known = await session.reader.state(source.migration.id);
  const timeline = new Timeline(session.environment);
  let run = runContext(session, source, generationOf(kind, known), timeline);
  const { id } = run;
  const resumed = kind === 'resume' || kind === 'verify';
  session.environment.emit({ kind: 'migration-started', migration: id, description: source.migration.description, resumed });
  const state = new StateWriter(session, source, known, timeline);
  try {
    await state.write(run, 'running', startOf(kind));
    for (let pass = 1; ; pass += 1) {
      if (!(await runSteps(run))) return await state.finish(run, 'interrupted', undefined);
      if (pass === 1) await state.write(run, 'applied', 'applied');
      const verified = await verifySteps(run);
      if (verified.outcome === 'interrupted') return await state.finish(run, 'interrupted', verified);
      if (verified.leftovers === 0) return await state.finish(run, verified.dead === 0 ? 'verified' : 'incomplete', verified);
      if (pass >= maxPasses) return await state.finish(run, 'incomplete', verified);
      // Items came in the old form while it ran: another pass, with checkpoints of its own.
      run = runContext(session, source, run.generation + 1, timeline);
      await state.write(run, 'running', 'started-over');
    }
  } catch (error) {
    if (error instanceof TablewrightError && error.code === 'LOCK_LOST') throw error;
    if (session.stop.aborted && error === session.stop.reason) return state.finish(run, 'interrupted', undefined);
    return state.fail(run, error);
  }
}

export function runContext(session: Session, { migration }: MigrationSource, generation: number, timeline: Timeline): RunContext {
  return { ...session, migration, id: migration.id, generation, sample: (pass, progress) => timeline.add(pass, progress) };
}

function generationOf(kind: RunKind, known: StateRecord | undefined): number {
  const before = known?.generation ?? 0;
  return kind === 'resume' || kind === 'verify' ? Math.max(1, before) : before + 1;
}

function startOf(kind: RunKind): HistoryKind {
  if (kind === 'fresh') return 'started';
  return kind === 'over' ? 'started-over' : 'resumed';
}
