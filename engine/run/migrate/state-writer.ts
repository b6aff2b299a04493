import { TablewrightError } from '../../../tables/model/error.ts';
import {
  deadLetterRecord,
  type HistoryKind,
  type MigrationState,
  type Pass,
  type SegmentRecord,
  type StateRecord,
  stateRecord,
} from '../../../tables/model/ledger/migration-records.ts';
import { isoOfEpochMs } from '../../../tables/model/time.ts';
import { type LedgerWrite, put, remove } from '../../core/ledger/ledger-write.ts';
import { addCounts, addUnits, type ConsumedUnits, type Counts, noCounts, noUnits } from '../../core/migrate/counts.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import type { Session } from '../ledger/session.ts';
import type { RunContext } from './run-context.ts';
import type { Timeline } from './timeline.ts';
import type { VerifyResult } from './verify-steps.ts';

export interface MigrationResult {
  readonly id: string;
  readonly state: MigrationState;
  readonly counts: Counts;
  readonly units: ConsumedUnits;
  readonly dead: number;
  readonly leftovers: number;
  readonly leftoverKeys: readonly string[];
  /** The first few dead letters, with their reasons. */
  readonly deadLetters: readonly { readonly key: string; readonly reason: string }[];
  readonly error?: TablewrightError;
}

/** Dead letters that are shown of a run; the ledger and the file have them all. */
export const maxShownDead = 10;

/** Keeps the migration's record in the ledger, each time with a line of its history. */
export class StateWriter {
  readonly #session: Session;
  readonly #source: MigrationSource;
  readonly #timeline: Timeline;
  readonly #startedAt: string;

  constructor(session: Session, source: MigrationSource, known: StateRecord | undefined, timeline: Timeline) {
    this.#session = session;
    this.#source = source;
    this.#timeline = timeline;
    this.#startedAt = known?.startedAt ?? isoOfEpochMs(session.environment.nowMs());
  }

  /** `beside` goes with it, all or nothing. */
  async write(
    run: RunContext,
    state: MigrationState,
    kind: HistoryKind,
    extra: Partial<StateRecord> = {},
    beside: readonly LedgerWrite[] = [],
  ): Promise<StateRecord> {
    const { environment, ledger, history } = this.#session;
    const { migration, checksum } = this.#source;
    const { who, host, commit } = environment.actor;
    const at = isoOfEpochMs(environment.nowMs());
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
    await ledger.commitTogether([
      put(stateRecord, record),
      history(run.id, kind, detail),
      ...beside,
      ...(state === 'running' ? [] : [this.#timeline.write(run.id, ledger.lease.token)]),
    ]);
    return record;
  }

  async finish(
    run: RunContext,
    state: Extract<MigrationState, HistoryKind>,
    verified: VerifyResult | undefined,
  ): Promise<MigrationResult> {
    // Proven complete: whatever was given up before is right by now.
    if (state === 'verified') await this.#clearDead(run);
    return this.#result(run, await this.write(run, state, state), verified);
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
    return { ...(await this.#result(run, record, undefined)), error };
  }

  async #result(run: RunContext, record: StateRecord, verified: VerifyResult | undefined): Promise<MigrationResult> {
    const { id, state, counts, units, dead } = record;
    this.#session.environment.emit({ kind: 'migration-done', migration: id, state, counts, units });
    const letters = dead === 0 ? [] : (await run.reader.dead(id)).slice(0, maxShownDead);
    const deadLetters = letters.map(({ shownKey, reason }) => ({ key: shownKey, reason }));
    const { leftovers = 0, keys: leftoverKeys = [] } = verified ?? {};
    return { id, state, counts, units, dead, leftovers, leftoverKeys, deadLetters };
  }

  async #clearDead(run: RunContext): Promise<void> {
    const dead = await run.reader.dead(run.id);
    await run.ledger.commit(dead.map((record) => remove(deadLetterRecord, record)));
  }

  /** All generations together: what the migration did and cost in all. */
  async #totals(run: RunContext): Promise<Pick<StateRecord, 'counts' | 'units' | 'dead'>> {
    return { ...totalsOf(await run.reader.allSegments(run.id)), dead: (await run.reader.dead(run.id)).length };
  }
}

/** What all segments of a pass did, in all generations. */
export function totalsOf(segments: readonly SegmentRecord[], pass: Pass = 'apply'): Pick<StateRecord, 'counts' | 'units'> {
  const own = segments.filter((segment) => segment.pass === pass);
  return {
    counts: own.reduce((sum, segment) => addCounts(sum, segment.counts), noCounts),
    units: own.reduce((sum, segment) => addUnits(sum, segment.units), noUnits),
  };
}

/** What is known of a migration that nothing was found out of now. */
export function resultAsIs(id: string, known: StateRecord | undefined): MigrationResult {
  const { state = 'interrupted', counts = noCounts, units = noUnits, dead = 0 } = known ?? {};
  return { id, state, counts, units, dead, leftovers: 0, leftoverKeys: [], deadLetters: [] };
}
