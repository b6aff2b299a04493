import { TablewrightError } from '../../../tables/model/error.ts';
import { stateKey } from '../../../tables/tablewright/ledger-keys.ts';
import { addCounts, addUnits, type Counts, noCounts, noUnits, type Units } from '../../core/migrate/counts.ts';
import type { PlannedRun, RunKind } from '../../core/migrate/decide-runs.ts';
import type { HistoryKind, MigrationState, StateRecord } from '../../core/migrate/ledger-records.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { put } from './ledger.ts';
import type { RunContext } from './run-context.ts';
import { runSteps } from './run-steps.ts';
import type { Session } from './session.ts';
import { Timeline } from './timeline.ts';
import { type VerifyResult, verifySteps } from './verify-steps.ts';

/** Passes over a table whose items keep being written in the old form, before the run is called incomplete. */
export const maxPasses = 3;

export interface MigrationResult {
  readonly id: string;
  readonly state: MigrationState;
  readonly counts: Counts;
  readonly units: Units;
  readonly dead: number;
  readonly leftovers: number;
  readonly leftoverKeys: readonly string[];
  readonly error?: TablewrightError;
}

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
      if (verified.outcome === 'stopped') return await state.finish(run, 'interrupted', verified);
      if (verified.leftovers === 0) return await state.finish(run, verified.dead === 0 ? 'verified' : 'incomplete', verified);
      if (pass >= maxPasses) return await state.finish(run, 'incomplete', verified);
      // Items came in the old form while it ran: another pass, with checkpoints of its own.
      run = runContext(session, source, run.generation + 1, timeline);
      await state.write(run, 'running', 'started-over');
    }
  } catch (error) {
    if (error instanceof TablewrightError && error.code === 'LOCK_LOST') throw error;
    return state.fail(run, error);
  }
}

function runContext(session: Session, { migration }: MigrationSource, generation: number, timeline: Timeline): RunContext {
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

/** Keeps the migration's record in the ledger, each time with a line of its history. */
class StateWriter {
  readonly #session: Session;
  readonly #source: MigrationSource;
  readonly #timeline: Timeline;
  readonly #startedAt: string;

  constructor(session: Session, source: MigrationSource, known: StateRecord | undefined, timeline: Timeline) {
    this.#session = session;
    this.#source = source;
    this.#timeline = timeline;
    this.#startedAt = known?.startedAt ?? new Date(session.environment.now()).toISOString();
  }

  async write(run: RunContext, state: MigrationState, kind: HistoryKind, extra: Partial<StateRecord> = {}): Promise<StateRecord> {
    const { environment, ledger, history } = this.#session;
    const { migration, checksum } = this.#source;
    const { who, host, commit } = environment.actor;
    const at = new Date(environment.now()).toISOString();
    const record: StateRecord = {
      id: run.id,
      description: migration.description,
      state,
      checksum,
      generation: run.generation,
      who,
      host,
      ...(commit === undefined ? {} : { commit }),
      startedAt: this.#startedAt,
      updatedAt: at,
      ...(state === 'running' ? {} : { finishedAt: at }),
      ...(state === 'verified' ? { verifiedAt: at } : {}),
      token: ledger.lease.token,
      ...(await this.#totals(run)),
      ...extra,
    };
    const detail = extra.error === undefined ? `generation ${run.generation}` : `${extra.error.code}: ${extra.error.message}`;
    await ledger.commit([
      put(stateKey(run.id), record),
      history(run.id, kind, detail),
      ...(state === 'running' ? [] : [this.#timeline.write(run.id, ledger.lease.token)]),
    ]);
    return record;
  }

  async finish(
    run: RunContext,
    state: Extract<MigrationState, HistoryKind>,
    verified: VerifyResult | undefined,
  ): Promise<MigrationResult> {
    return this.#result(await this.write(run, state, state), verified);
  }

  async fail(run: RunContext, cause: unknown): Promise<MigrationResult> {
    const error =
      cause instanceof TablewrightError
        ? cause
        : new TablewrightError('MIGRATION_FAILED', `${run.id}: ${cause instanceof Error ? cause.message : String(cause)}`, {
            cause,
            next: `Correct it, then run 'tablewright migrate' again; 'tablewright history ${run.id}' shows what happened.`,
          });
    const summary = error.message.split('\n')[0] ?? '';
    const record = await this.write(run, 'failed', 'failed', { error: { code: error.code, message: summary } });
    return { ...this.#result(record, undefined), error };
  }

  #result(record: StateRecord, verified: VerifyResult | undefined): MigrationResult {
    const { id, state, counts, units, dead } = record;
    this.#session.environment.emit({ kind: 'migration-done', migration: id, state, counts, units });
    return { id, state, counts, units, dead, leftovers: verified?.leftovers ?? 0, leftoverKeys: verified?.keys ?? [] };
  }

  /** All generations together: what the migration did and cost in all. */
  async #totals(run: RunContext): Promise<Pick<StateRecord, 'counts' | 'units' | 'dead'>> {
    const segments = await run.reader.allSegments(run.id);
    const applied = segments.filter(({ pass }) => pass === 'apply');
    return {
      counts: applied.reduce((sum, segment) => addCounts(sum, segment.counts), noCounts),
      units: applied.reduce((sum, segment) => addUnits(sum, segment.units), noUnits),
      dead: (await run.reader.dead(run.id)).length,
    };
  }
}
