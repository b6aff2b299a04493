import type { Item } from '../../../tables/model/attribute-value.ts';
import {
  type ChunkPlace,
  chunkPrefix,
  deadPrefix,
  eventPrefix,
  journalKey,
  journalPartition,
  type LedgerKey,
  migrationPartition,
  pauseKey,
  segmentKey,
  segmentPrefix,
  stateKey,
  statesPartition,
  stepKey,
  timelinePrefix,
} from '../../../tables/tablewright/ledger-keys.ts';
import type {
  DeadRecord,
  HistoryRecord,
  Pass,
  PauseRecord,
  SegmentRecord,
  SegmentUnit,
  StateRecord,
  StepRecord,
  TimelineRecord,
} from '../../core/ledger/ledger-records.ts';
import { fromRecordItem, toRecordItem } from '../../core/ledger/record-item.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { ledgerName, lockScope } from './lock.ts';

export type LedgerEnvironment = Pick<MigrateEnvironment, 'ledger' | 'config'>;

/** A part of what is about to be written, packed; `skipped` are the places of entries that were not applied after all. */
export interface ChunkRecord extends LedgerKey {
  readonly sequence: number;
  readonly token: number;
  readonly generation: number;
  readonly entries: Uint8Array;
  readonly skipped?: readonly number[];
}

/** Consistent reads of the ledger. */
export class LedgerReader {
  readonly #environment: LedgerEnvironment;

  constructor(environment: LedgerEnvironment) {
    this.#environment = environment;
  }

  async states(): Promise<readonly StateRecord[]> {
    return this.#list<StateRecord>(statesPartition, '');
  }

  async state(id: string): Promise<StateRecord | undefined> {
    return this.#get<StateRecord>(stateKey(id));
  }

  async step(id: string, generation: number, step: number): Promise<StepRecord | undefined> {
    return this.#get<StepRecord>(stepKey(id, generation, step));
  }

  async segment({ migration, generation, step, pass, segment }: SegmentUnit): Promise<SegmentRecord | undefined> {
    return this.#get<SegmentRecord>(segmentKey(migration, generation, step, pass, segment));
  }

  async segments(id: string, generation: number, step: number, pass: Pass): Promise<readonly SegmentRecord[]> {
    return this.#list<SegmentRecord>(migrationPartition(id), segmentPrefix(generation, step, pass));
  }

  async allSegments(id: string): Promise<readonly SegmentRecord[]> {
    return this.#list<SegmentRecord>(migrationPartition(id), 'SEGMENT#');
  }

  async dead(id: string): Promise<readonly (DeadRecord & LedgerKey)[]> {
    return this.#list<DeadRecord & LedgerKey>(migrationPartition(id), deadPrefix);
  }

  async history(id: string): Promise<readonly HistoryRecord[]> {
    return this.#list<HistoryRecord>(migrationPartition(id), eventPrefix);
  }

  async timelines(id: string): Promise<readonly TimelineRecord[]> {
    return this.#list<TimelineRecord>(migrationPartition(id), timelinePrefix);
  }

  async pause(): Promise<PauseRecord | undefined> {
    return this.#get<PauseRecord>(pauseKey(lockScope));
  }

  /** A generation's chunks of a segment's journal, newest first, as a rollback takes them. */
  async *chunks(id: string, step: number, segment: number, generation: number): AsyncGenerator<ChunkRecord> {
    const prefix = chunkPrefix(generation);
    yield* this.#pages<ChunkRecord>({ partition: journalPartition(id, step, segment), prefix, forward: false });
  }

  /** A generation's chunks from one place on. */
  async *chunksFrom(id: string, step: number, segment: number, place: ChunkPlace): AsyncGenerator<ChunkRecord> {
    const { PK: partition, SK: from } = journalKey(id, step, segment, place);
    const to = `${chunkPrefix(place.generation)}~`;
    yield* this.#pages<ChunkRecord>({ partition, from, to, forward: true });
  }

  async #get<T>(key: LedgerKey): Promise<T | undefined> {
    const request = { TableName: ledgerName(this.#environment), Key: toRecordItem(key), ConsistentRead: true };
    const { item } = await this.#environment.ledger.getItem(request);
    return item === undefined ? undefined : (fromRecordItem(item) as T);
  }

  async #list<T>(partition: string, prefix: string): Promise<readonly T[]> {
    const found: T[] = [];
    for await (const record of this.#pages<T>({ partition, prefix, forward: true })) found.push(record);
    return found;
  }

  async *#pages<T>(range: KeyRange): AsyncGenerator<T> {
    let start: { ExclusiveStartKey?: Item } = {};
    for (;;) {
      const page = await this.#environment.ledger.query({
        TableName: ledgerName(this.#environment),
        ...rangeExpression(range),
        ScanIndexForward: range.forward,
        ConsistentRead: true,
        ...start,
      });
      for (const item of page.items) yield fromRecordItem(item) as T;
      if (page.next === undefined) return;
      start = { ExclusiveStartKey: page.next };
    }
  }
}

type KeyRange = { readonly partition: string; readonly forward: boolean } & (
  | { readonly prefix: string }
  | { readonly from: string; readonly to: string }
);

function rangeExpression(range: KeyRange) {
  const pk = { ':pk': { S: range.partition } };
  if ('from' in range) {
    return {
      KeyConditionExpression: 'PK = :pk AND SK BETWEEN :from AND :to',
      ExpressionAttributeValues: { ...pk, ':from': { S: range.from }, ':to': { S: range.to } },
    };
  }
  if (range.prefix === '') return { KeyConditionExpression: 'PK = :pk', ExpressionAttributeValues: pk };
  return {
    KeyConditionExpression: 'PK = :pk AND begins_with(SK, :prefix)',
    ExpressionAttributeValues: { ...pk, ':prefix': { S: range.prefix } },
  };
}
