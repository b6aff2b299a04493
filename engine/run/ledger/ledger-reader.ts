import {
  chunkRecord,
  type HeadRecord,
  headRecord,
  type JournalPart,
  partRecord,
} from '../../../tables/model/ledger/journal-records.ts';
import { type PauseRecord, pauseRecord, type StopRecord, stopRecord } from '../../../tables/model/ledger/lock-records.ts';
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
  type SegmentRecord,
  type SegmentUnit,
  type StateRecord,
  type StepRecord,
  segmentRecord,
  stateRecord,
  stepRecord,
  type TimelineRecord,
  timelineRecord,
} from '../../../tables/model/ledger/migration-records.ts';
import { LedgerStore, ledgerOf, type MigrationLedger } from './ledger-store.ts';
import { lockScope } from './lock.ts';

/** Consistent reads of what the ledger knows of migrations. */
export class LedgerReader {
  readonly #store: LedgerStore;

  constructor(environment: MigrationLedger | LedgerStore) {
    this.#store = environment instanceof LedgerStore ? environment : ledgerOf(environment);
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
    return this.#store.get(segmentRecord, unit);
  }

  async allSegments(migration: string): Promise<readonly SegmentRecord[]> {
    return this.#store.list(segmentRecord, { migration });
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

/** A segment's journal in one generation. */
export type JournalOf = Pick<SegmentUnit, 'migration' | 'step' | 'segment' | 'generation'>;

/** Nothing else of what it is taken from: a range takes every member of the key that it is given. */
function placeOf({ migration, step, segment, generation }: JournalOf): JournalOf {
  return { migration, step, segment, generation };
}
