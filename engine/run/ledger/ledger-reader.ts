import type { RecordOf } from '../../../tables/model/entity.ts';
import {
  chunkRecord,
  type HeadRecord,
  headRecord,
  type JournalPart,
  partRecord,
} from '../../../tables/model/ledger/journal-records.ts';
import type { KeyOf, LedgerEntity } from '../../../tables/model/ledger/ledger-entity.ts';
import {
  type ClaimRecord,
  claimRecord,
  type PauseRecord,
  pauseRecord,
  type StopRecord,
  stopRecord,
} from '../../../tables/model/ledger/lock-records.ts';
import {
  type DeadRecord,
  deadLetterRecord,
  type ExecutionRecord,
  eventRecord,
  executionRecord,
  type HistoryRecord,
  type LiveRecord,
  liveRecord,
  type PartPlace,
  type Pass,
  type SegmentRecord,
  type SegmentUnit,
  type StateRecord,
  type StepRecord,
  segmentRecord,
  stateRecord,
  stepRecord,
  type TimelineRecord,
  timelineRecord,
  unitRecord,
} from '../../../tables/model/ledger/migration-records.ts';
import type { Store } from '../../core/store/store.ts';
import { LedgerStore, ledgerOf, type MigrationLedger } from './ledger-store.ts';
import { lockScope } from './lock.ts';

/** Consistent reads of what the ledger knows of migrations. */
export class LedgerReader {
  readonly #store: LedgerStore;
  readonly #batches: Pick<Store, 'batchGet'> | undefined;

  /** With the store alone, journals, states and steps can be read, and no units. */
  constructor(environment: MigrationLedger | LedgerStore) {
    const isStore = environment instanceof LedgerStore;
    this.#store = isStore ? environment : ledgerOf(environment);
    this.#batches = isStore ? undefined : environment.ledger;
  }

  async states(): Promise<readonly StateRecord[]> {
    return this.#store.list(stateRecord, {});
  }

  async state(id: string): Promise<StateRecord | undefined> {
    return this.#store.get(stateRecord, { id });
  }

  async steps(migration: string): Promise<readonly StepRecord[]> {
    return this.#store.list(stepRecord, { migration });
  }

  async step(migration: string, generation: number, step: number): Promise<StepRecord | undefined> {
    return this.#store.get(stepRecord, { migration, generation, step });
  }

  async segment(unit: SegmentUnit): Promise<SegmentRecord | undefined> {
    return this.#store.get(unit.spread === true ? unitRecord : segmentRecord, unit);
  }

  /** Of all generations, steps and passes, wherever they lie. */
  async allSegments(migration: string): Promise<readonly SegmentRecord[]> {
    const spread = (await this.#stepsBegun(migration)).filter((step) => step.spread === true);
    const isMoved = ({ generation, step }: SegmentRecord): boolean =>
      spread.some((one) => one.generation === generation && one.step === step);
    const together = (await this.#store.list(segmentRecord, { migration })).filter((record) => !isMoved(record));
    if (spread.length === 0) return together;
    const units = await this.units(spread.flatMap((step) => passes.map((pass) => ({ ...step, migration, pass }))));
    return [...together, ...units];
  }

  /** The units of passes over spread steps, as far as there are any. The last one is that of retried dead letters. */
  async units(of: readonly Omit<SegmentUnit, 'segment'>[]): Promise<readonly SegmentRecord[]> {
    const keys = of.flatMap(({ migration, generation, step, pass, segments }) =>
      Array.from({ length: segments + 1 }, (_, segment) => ({ migration, generation, step, pass, segment })),
    );
    return this.#getAll(unitRecord, keys);
  }

  async claims(places: readonly Pick<SegmentUnit, 'migration' | 'step' | 'segment'>[]): Promise<readonly ClaimRecord[]> {
    return this.#getAll(claimRecord, places);
  }

  async #getAll<E extends LedgerEntity>(entity: E, keys: readonly KeyOf<E>[]): Promise<readonly RecordOf<E>[]> {
    if (this.#batches === undefined) throw new TypeError('units are read by those who run migrations alone');
    return this.#store.getAll(this.#batches, entity, keys);
  }

  /** Where the record of a spread step is lost, that of its execution tells. */
  async #stepsBegun(migration: string): Promise<readonly Pick<StepRecord, 'generation' | 'step' | 'segments' | 'spread'>[]> {
    const steps = await this.steps(migration);
    const lost = (await this.executions(migration)).filter(
      ({ generation, step }) => !steps.some((one) => one.generation === generation && one.step === step),
    );
    // Of whatever pass: one that a single process ran may have been spread by a rollback alone. Each step once.
    const told = new Map(lost.map((one) => [`${one.generation} ${one.step}`, one]));
    return [
      ...steps,
      ...[...told.values()].map(({ generation, step, segments = 0 }) => ({ generation, step, segments, spread: segments > 0 })),
    ];
  }

  async dead(migration: string): Promise<readonly DeadRecord[]> {
    return this.#store.list(deadLetterRecord, { migration });
  }

  async history(migration: string): Promise<readonly HistoryRecord[]> {
    return this.#store.list(eventRecord, { migration });
  }

  async timelines(migration: string): Promise<readonly TimelineRecord[]> {
    return this.#store.list(timelineRecord, { migration });
  }

  async live(migration: string): Promise<LiveRecord | undefined> {
    return this.#store.get(liveRecord, { migration });
  }

  async pause(): Promise<PauseRecord | undefined> {
    return this.#store.get(pauseRecord, { scope: lockScope });
  }

  async stop(): Promise<StopRecord | undefined> {
    return this.#store.get(stopRecord, { scope: lockScope });
  }

  async executions(migration: string): Promise<readonly ExecutionRecord[]> {
    return this.#store.list(executionRecord, { migration });
  }

  async execution(key: Pick<SegmentUnit, 'migration' | 'generation' | 'step' | 'pass'>): Promise<ExecutionRecord | undefined> {
    return this.#store.get(executionRecord, key);
  }

  /** What the writers of a segment's journal say that they wrote, the oldest first. */
  async heads(journal: JournalOf): Promise<readonly HeadRecord[]> {
    return this.#store.list(headRecord, placeOf(journal));
  }

  /** A generation's parts of a segment's journal, newest first, as a rollback takes them. */
  async *parts(journal: JournalOf): AsyncGenerator<JournalPart> {
    yield* this.#store.newestFirst(partRecord, placeOf(journal));
    yield* this.#store.newestFirst(chunkRecord, placeOf(journal));
  }

  /** A generation's parts from one place on, the oldest first. */
  async *partsFrom(journal: JournalOf, { token, attempt, sequence }: PartPlace): AsyncGenerator<JournalPart> {
    const place = placeOf(journal);
    if (attempt === undefined) yield* this.#store.from(chunkRecord, { ...place, token, sequence }, place);
    const first = attempt === undefined ? { token: 0, attempt: 0, sequence: 0 } : { token, attempt, sequence };
    yield* this.#store.from(partRecord, { ...place, ...first }, place);
  }
}

const passes: readonly Pass[] = ['apply', 'verify', 'rollback'];

/** A segment's journal in one generation. */
export type JournalOf = Pick<SegmentUnit, 'migration' | 'step' | 'segment' | 'generation' | 'spread'>;

/** Nothing else of what it is taken from: a range takes every member of the key that it is given. */
function placeOf({ migration, step, segment, generation }: JournalOf): JournalOf {
  return { migration, step, segment, generation };
}
