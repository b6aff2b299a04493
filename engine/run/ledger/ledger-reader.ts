import type { KeyOf } from '../../../tables/tablewright/ledger-entity.ts';
import { type PauseRecord, pauseRecord } from '../../../tables/tablewright/lock-records.ts';
import {
  type ChunkRecord,
  chunkRecord,
  type DeadRecord,
  deadLetterRecord,
  eventRecord,
  type HistoryRecord,
  type SegmentRecord,
  type SegmentUnit,
  type StateRecord,
  type StepRecord,
  segmentRecord,
  stateRecord,
  stepRecord,
  type TimelineRecord,
  timelineRecord,
} from '../../../tables/tablewright/migration-records.ts';
import { type LedgerStore, ledgerOf, type MigrationLedger } from './ledger-store.ts';
import { lockScope } from './lock.ts';

/** Consistent reads of what the ledger knows of migrations. */
export class LedgerReader {
  readonly #store: LedgerStore;

  constructor(environment: MigrationLedger) {
    this.#store = ledgerOf(environment);
  }

  async states(): Promise<readonly StateRecord[]> {
    return this.#store.list(stateRecord, {});
  }

  async state(id: string): Promise<StateRecord | undefined> {
    return this.#store.get(stateRecord, { id });
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

  async pause(): Promise<PauseRecord | undefined> {
    return this.#store.get(pauseRecord, { scope: lockScope });
  }

  /** A generation's chunks of a segment's journal, newest first, as a rollback takes them. */
  chunks(migration: string, step: number, segment: number, generation: number): AsyncGenerator<ChunkRecord> {
    return this.#store.newestFirst(chunkRecord, { migration, step, segment, generation });
  }

  /** A generation's chunks from one place on. */
  chunksFrom(first: KeyOf<typeof chunkRecord>): AsyncGenerator<ChunkRecord> {
    const { migration, step, segment, generation } = first;
    return this.#store.from(chunkRecord, first, { migration, step, segment, generation });
  }
}
