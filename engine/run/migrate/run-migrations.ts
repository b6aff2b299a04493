import { TablewrightError } from '../../../tables/model/error.ts';
import { type HistoryKind, type StateRecord, stateRecord, stepRecord } from '../../../tables/model/ledger/migration-records.ts';
import { type LedgerWrite, put, setMembers } from '../../core/ledger/ledger-write.ts';
import { decideRuns, type PlannedRun, type RunKind, type RunRequest } from '../../core/migrate/decide-runs.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { LedgerReader } from '../ledger/ledger-reader.ts';
import { type Session, withLock } from '../ledger/session.ts';
import { isStop } from '../store/until-stopped.ts';
import { HandedOver } from './elsewhere.ts';
import type { MigrateEnvironment } from './environment.ts';
import { refuseWhilePaused } from './pause-runs.ts';
import { type RunContext, runContext } from './run-context.ts';
import { runSteps } from './run-steps.ts';
import { type MigrationResult, resultAsIs, StateWriter } from './state-writer.ts';
import { Timeline } from './timeline.ts';
import { type VerifyResult, verifySteps } from './verify-steps.ts';

/** Passes over a table whose items keep being written in the old form, before the run is called incomplete. */
export const maxPasses = 3;

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
  hold: typeof withLock = withLock,
): Promise<RunReport> {
  const reader = new LedgerReader(environment);
  if (hold === withLock) await refuseWhilePaused(reader);
  // Looked at before the lock too: nothing to do, or a problem, needs no lock.
  const early = decideRuns(sources, await reader.states(), request);
  if (early.runs.length === 0 && early.accepted.length === 0) return { outcome: 'done', results: [], notRun: [] };
  return hold(environment, 'migrate', signal, async (session) => {
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

/** Runs one migration to its end, as far as it gets, and leaves the truth in the ledger. A lost lock is thrown. */
async function runMigration(session: Session, { source, kind }: PlannedRun): Promise<MigrationResult> {
  const known = await session.reader.state(source.migration.id);
  // Taken up again, a step that is no pass would fail again, or leave something over again, without end.
  const isOver = known?.state === 'failed' || known?.state === 'incomplete';
  if (isOver && isOfExecution(session, known)) return resultAsIs(known.id, known);
  const timeline = new Timeline(session.environment);
  let run = runContext(session, source, await generationOf(session, source, kind, known), timeline);
  const { id } = run;
  const resumed = kind === 'resume' || kind === 'verify';
  session.environment.emit({ kind: 'migration-started', migration: id, description: source.migration.description, resumed });
  const state = new StateWriter(session, source, known, timeline);
  const interrupted = (verified?: VerifyResult): Promise<MigrationResult> => {
    session.elsewhere?.cut();
    return state.finish(run, 'interrupted', verified);
  };
  try {
    const isOurs = isOfExecution(session, known) && known.state !== 'interrupted';
    if (!isOurs) await state.write(run, 'running', startOf(kind));
    for (let pass = isOurs ? (known.passes ?? 1) : 1; ; pass += 1) {
      if (!(await runSteps(run))) return await interrupted();
      if (pass === 1 && known?.state !== 'incomplete' && !(isOurs && known.state === 'applied'))
        await state.write(run, 'applied', 'applied');
      const verified = await verifySteps(run);
      if (verified.outcome === 'interrupted') return await interrupted(verified);
      if (verified.open.length === 0) return await state.finish(run, verified.dead === 0 ? 'verified' : 'incomplete', verified);
      if (pass >= maxPasses) return await state.finish(run, 'incomplete', verified);
      // Items came in the old form while it ran: another pass, with checkpoints of its own.
      const carried = await carriedSteps(run, verified.open);
      run = runContext(session, source, run.generation + 1, timeline);
      await state.write(run, 'running', 'started-over', session.elsewhere === undefined ? {} : { passes: pass + 1 }, carried);
    }
  } catch (error) {
    if (error instanceof HandedOver || (error instanceof TablewrightError && error.code === 'LOCK_LOST')) throw error;
    if (isStop(error, session.stop)) return interrupted();
    return state.fail(run, error);
  }
}

/** An execution comes by several times: what it wrote of a migration is known by its token, and stands. */
function isOfExecution({ elsewhere, ledger }: Session, known: StateRecord | undefined): known is StateRecord {
  return elsewhere !== undefined && known?.token === ledger.lease.token;
}

/** Without a state there may be traces of earlier runs all the same; their checkpoints are not this run's. */
async function generationOf(
  { reader }: Session,
  { migration }: MigrationSource,
  kind: RunKind,
  known: StateRecord | undefined,
): Promise<number> {
  const steps = known === undefined ? await reader.steps(migration.id) : [];
  const before = Math.max(known?.generation ?? 0, ...steps.map(({ generation }) => generation));
  return kind === 'resume' || kind === 'verify' ? Math.max(1, before) : before + 1;
}

/** The steps that nothing is left over of: in the next generation they are done, and were not run. */
async function carriedSteps(
  { id, generation, migration, reader }: RunContext,
  open: readonly number[],
): Promise<readonly LedgerWrite[]> {
  const known = (await reader.steps(id)).filter((record) => record.generation === generation);
  return known
    .filter(({ step }) => step < migration.steps.length && !open.includes(step))
    .map((record) => put(stepRecord, { ...record, generation: generation + 1, done: true, carried: true }));
}

function startOf(kind: RunKind): HistoryKind {
  if (kind === 'fresh') return 'started';
  return kind === 'over' ? 'started-over' : 'resumed';
}

/** A settled migration whose file was changed is taken as it is now; that what it wants is there is yet to be proven. */
export async function acceptSource({ ledger, history }: Session, { migration, checksum }: MigrationSource): Promise<void> {
  await ledger.commit([
    setMembers(stateRecord, { id: migration.id }, { checksum, description: migration.description, state: 'applied' }),
    history(migration.id, 'accepted', `checksum ${checksum.slice(0, 12)}`),
  ]);
}
