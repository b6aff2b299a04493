import type { Item } from '../../../tables/model/attribute-value.ts';
import type { RecordOf } from '../../../tables/model/entity.ts';
import { recoverKeyValues } from '../../../tables/model/item.ts';
import { cutoverEvent, cutoverState } from '../../../tables/model/ledger/cutover-records.ts';
import { chunkRecord, type HeadRecord, type JournalPart, partRecord } from '../../../tables/model/ledger/journal-records.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import type { LedgerEntity } from '../../../tables/model/ledger/ledger-entity.ts';
import {
  deadLetterRecord,
  eventRecord,
  type SegmentRecord,
  segmentRecord,
  stateRecord,
  stepRecord,
  unitRecord,
} from '../../../tables/model/ledger/migration-records.ts';
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
  unitRecord,
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
  /** Migrations that left anything at all, sound or not, and the last generation that it is of. */
  readonly traces = new Map<string, number>();
  readonly #writers = new Map<string, Pick<HeadRecord, 'parts' | 'entries'>>();
  readonly #records = new Map<LedgerEntity, unknown[]>();
  readonly #entriesIn: (bytes: Uint8Array) => number | undefined;

  /** `entriesIn`: how many entries of a journal are packed in the bytes; undefined when they are none. */
  constructor(entriesIn: (bytes: Uint8Array) => number | undefined) {
    this.#entriesIn = entriesIn;
  }

  /** The sound records of a kind, of those that are kept. */
  of<E extends LedgerEntity>(entity: E): readonly RecordOf<E>[] {
    return (this.#records.get(entity) ?? []) as readonly RecordOf<E>[];
  }

  /** Of steps of either kind: their checkpoints lie together, or apart where workers are at them. */
  get segments(): readonly SegmentRecord[] {
    return [...this.of(segmentRecord), ...this.of(unitRecord)];
  }

  entriesIn(bytes: Uint8Array): number | undefined {
    return this.#entriesIn(bytes);
  }

  /** What the parts tell that a writer has written; undefined when there are none of it. */
  writtenBy(writer: WriterPlace): Pick<HeadRecord, 'parts' | 'entries'> | undefined {
    return this.#writers.get(writerName(writer));
  }

  /** A record of a newer version ends it: what one does not know one does not repair. */
  add(item: Item): void {
    const entity = ledgerEntityOf(item);
    if (entity === undefined) {
      this.strange.push(shownLedgerKey(item));
      return;
    }
    this.#trace(entity, item);
    const reading = inspectRecord(entity, item);
    if (reading.kind === 'newer') throw newerLedger(item, reading.format, entity.format);
    if (reading.kind === 'damaged') this.damaged.push({ entity, item, problems: reading.problems });
    else if (entity === (chunkRecord as LedgerEntity) || entity === (partRecord as LedgerEntity))
      this.#addPart(reading.record as JournalPart, entity, item);
    else if (kept.includes(entity)) this.#records.set(entity, [...(this.#records.get(entity) ?? []), reading.record]);
  }

  /** By the key alone. */
  #trace(entity: LedgerEntity, item: Item): void {
    const { migration, generation = '0' } = recoverKeyValues(ledger, entity, item) ?? {};
    if (migration === undefined) return;
    this.traces.set(migration, Math.max(this.traces.get(migration) ?? 0, Number(generation)));
  }

  #addPart(part: JournalPart, entity: LedgerEntity, item: Item): void {
    const { migration, generation, step, segment } = part;
    this.journals.set(`${migration} ${generation} ${step} ${segment}`, { migration, generation, step, segment });
    const entries = this.#entriesIn(part.entries);
    if (entries === undefined) this.damaged.push({ entity, item, problems: ['entries: cannot be unpacked'] });
    if (!('attempt' in part)) return;
    if (entries !== undefined && entries !== part.count) {
      this.damaged.push({ entity, item, problems: [`count: expected ${entries}, found ${part.count}`] });
    }
    const known = this.#writers.get(writerName(part));
    if (known !== undefined && known.parts > part.sequence) return;
    this.#writers.set(writerName(part), { parts: part.sequence + 1, entries: part.before + part.count });
  }
}

type WriterPlace = Pick<HeadRecord, 'migration' | 'step' | 'segment' | 'generation' | 'token' | 'attempt'>;

function writerName({ migration, step, segment, generation, token, attempt }: WriterPlace): string {
  return [migration, step, segment, generation, token, attempt].join(' ');
}
