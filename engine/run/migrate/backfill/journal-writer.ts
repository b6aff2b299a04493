import { type HeadRecord, headRecord, partRecord } from '../../../../tables/model/ledger/journal-records.ts';
import type { SegmentUnit } from '../../../../tables/model/ledger/migration-records.ts';
import { type LedgerWrite, put, setMembers } from '../../../core/ledger/ledger-write.ts';
import type { GuardedChange } from '../../../core/migrate/decide-item.ts';
import { journalEntryOf, maxPartBytes, printEntries } from '../../../core/migrate/journal.ts';
import type { FencedLedger } from '../../ledger/fenced-ledger.ts';
import type { MigrateEnvironment } from '../environment.ts';

/** Where an entry stands in its writer's journal. */
export interface EntryPlace {
  readonly sequence: number;
  readonly at: number;
}

export interface JournalWriterOptions {
  readonly environment: Pick<MigrateEnvironment, 'codec'>;
  readonly ledger: FencedLedger;
  readonly unit: SegmentUnit;
  /** The base name of the table that is written to. */
  readonly table: string;
  /** The head of the last writer before this one. */
  readonly after: HeadRecord | undefined;
}

/** Writes ahead what is about to be changed, for one segment. It numbers its own parts from 0. */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  readonly #skipped = new Map<number, number[]>();
  #parts = 0;
  #entries = 0;
  #stored: Promise<void> = Promise.resolve();

  constructor(options: JournalWriterOptions) {
    this.#options = options;
  }

  /** How many parts it has written: the number that the next one will have. */
  get parts(): number {
    return this.#parts;
  }

  /**
   * Resolves when it is stored: only then may the changes go. Each part is stored together with the head that counts it, and
   * after the parts before it: where one is not stored, none behind it is, or its head would tell of a part that never was.
   */
  async append(changes: readonly GuardedChange[]): Promise<readonly EntryPlace[]> {
    const places: EntryPlace[] = [];
    for (const writes of this.#pack(changes, places)) {
      this.#stored = this.#stored.then(() => this.#options.ledger.commitTogether(writes));
    }
    const stored = this.#stored;
    // Whoever comes after a failure is told of it by his own part.
    this.#stored.catch(() => undefined);
    await stored;
    return places;
  }

  /** The entry was not carried out after all: a rollback must not take somebody else's equal value for it. */
  skip(place: EntryPlace | undefined): void {
    if (place === undefined) return;
    const known = this.#skipped.get(place.sequence) ?? [];
    this.#skipped.set(place.sequence, [...known, place.at]);
  }

  /** The marks of skipped entries, to go with the next checkpoint. */
  takeMarks(): readonly LedgerWrite[] {
    const marks = [...this.#skipped].map(([sequence, skipped]) =>
      setMembers(partRecord, { ...this.#writer(), sequence }, { skipped }),
    );
    this.#skipped.clear();
    return marks;
  }

  /** What has to be written, part by part. */
  #pack(changes: readonly GuardedChange[], places: EntryPlace[]): readonly (readonly LedgerWrite[])[] {
    const entries = this.#options.environment.codec.pack(printEntries(changes.map(journalEntryOf)));
    if (entries.byteLength > maxPartBytes && changes.length > 1) {
      const half = Math.ceil(changes.length / 2);
      return [...this.#pack(changes.slice(0, half), places), ...this.#pack(changes.slice(half), places)];
    }
    const sequence = this.#parts;
    const before = this.#entries;
    const count = changes.length;
    this.#parts += 1;
    this.#entries += count;
    for (const at of changes.keys()) places.push({ sequence, at });
    const { table } = this.#options;
    return [[put(partRecord, { ...this.#writer(), sequence, table, entries, count, before }), this.#head()]];
  }

  #head(): LedgerWrite {
    const { after } = this.#options;
    const named = after === undefined ? {} : { after: extentOf(after) };
    return put(headRecord, { ...this.#writer(), parts: this.#parts, entries: this.#entries, ...named });
  }

  #writer() {
    const { migration, step, segment, generation } = this.#options.unit;
    const { attempt, lease } = this.#options.ledger;
    return { migration, step, segment, generation, token: lease.token, attempt };
  }
}

/** What one page has in the journal of its segment. */
export class PageJournal {
  readonly #writer: JournalWriter;
  /** Its first part; undefined when it has none. */
  first: number | undefined;
  /** Behind its last part. */
  end = 0;

  constructor(writer: JournalWriter) {
    this.#writer = writer;
  }

  append(changes: readonly GuardedChange[]): Promise<readonly EntryPlace[]> {
    this.first ??= this.#writer.parts;
    // The parts have their numbers at once.
    const stored = this.#writer.append(changes);
    this.end = this.#writer.parts;
    return stored;
  }

  skip(place: EntryPlace | undefined): void {
    this.#writer.skip(place);
  }
}

function extentOf({ token, attempt, parts, entries }: HeadRecord): NonNullable<HeadRecord['after']> {
  return { token, attempt, parts, entries };
}
