import type { Item } from '../../../tables/model/attribute-value.ts';
import type { RecordOf } from '../../../tables/model/entity.ts';
import { cutoverEvent, cutoverState } from '../../../tables/tablewright/cutover-records.ts';
import type { LedgerEntity } from '../../../tables/tablewright/ledger-entity.ts';
import {
  chunkRecord,
  deadLetterRecord,
  eventRecord,
  segmentRecord,
  stateRecord,
  stepRecord,
} from '../../../tables/tablewright/migration-records.ts';
import { inspectRecord, ledgerEntityOf } from './ledger-codec.ts';
import { newerLedger, shownLedgerKey } from './ledger-errors.ts';

export interface DamagedRecord {
  readonly entity: LedgerEntity;
  readonly item: Item;
  readonly problems: readonly string[];
}

/** Kinds that others can be rebuilt from; the rest, which may be very many, is looked at and let go. */
const kept: readonly LedgerEntity[] = [
  stateRecord,
  stepRecord,
  segmentRecord,
  deadLetterRecord,
  eventRecord,
  cutoverState,
  cutoverEvent,
];

/** Which journals there are, without what is in them. */
export interface JournalPlace {
  readonly migration: string;
  readonly generation: number;
  readonly step: number;
  readonly segment: number;
}

/** What a look at the whole ledger finds, item by item, in any order. */
export class LedgerSurvey {
  readonly damaged: DamagedRecord[] = [];
  /** Keys that are of no kind that this version knows. */
  readonly strange: string[] = [];
  readonly journals = new Map<string, JournalPlace>();
  readonly #records = new Map<LedgerEntity, unknown[]>();
  readonly #isJournal: (bytes: Uint8Array) => boolean;

  constructor(isJournal: (bytes: Uint8Array) => boolean) {
    this.#isJournal = isJournal;
  }

  /** The sound records of a kind, of those that are kept. */
  of<E extends LedgerEntity>(entity: E): readonly RecordOf<E>[] {
    return (this.#records.get(entity) ?? []) as readonly RecordOf<E>[];
  }

  isJournal(bytes: Uint8Array): boolean {
    return this.#isJournal(bytes);
  }

  /** A record of a newer version ends it: what one does not know one does not repair. */
  add(item: Item): void {
    const entity = ledgerEntityOf(item);
    if (entity === undefined) {
      this.strange.push(shownLedgerKey(item));
      return;
    }
    const reading = inspectRecord(entity, item);
    if (reading.kind === 'newer') throw newerLedger(item, reading.format);
    if (reading.kind === 'damaged') this.damaged.push({ entity, item, problems: reading.problems });
    else if (entity === (chunkRecord as LedgerEntity)) this.#addChunk(reading.record as RecordOf<typeof chunkRecord>, item);
    else if (kept.includes(entity)) this.#records.set(entity, [...(this.#records.get(entity) ?? []), reading.record]);
  }

  #addChunk({ migration, generation, step, segment, entries }: RecordOf<typeof chunkRecord>, item: Item): void {
    this.journals.set(`${migration} ${generation} ${step} ${segment}`, { migration, generation, step, segment });
    if (this.#isJournal(entries)) return;
    this.damaged.push({ entity: chunkRecord, item, problems: ['entries: cannot be unpacked'] });
  }
}
