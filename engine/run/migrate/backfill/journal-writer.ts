import { chunkRecord, type SegmentUnit } from '../../../../tables/tablewright/migration-records.ts';
import { type LedgerWrite, put, setMembers } from '../../../core/ledger/ledger-write.ts';
import type { GuardedChange } from '../../../core/migrate/decide-item.ts';
import { journalEntryOf, maxChunkBytes, printEntries } from '../../../core/migrate/journal.ts';
import type { FencedLedger } from '../../ledger/fenced-ledger.ts';
import type { MigrateEnvironment } from '../environment.ts';

/** Where an entry stands in the journal. */
export interface EntryPlace {
  readonly sequence: number;
  readonly at: number;
}

/** Writes ahead what is about to be changed, for one segment. */
export class JournalWriter {
  readonly #environment: Pick<MigrateEnvironment, 'codec'>;
  readonly #ledger: FencedLedger;
  readonly #unit: SegmentUnit;
  readonly #skipped = new Map<number, number[]>();
  #sequence: number;

  constructor(environment: Pick<MigrateEnvironment, 'codec'>, ledger: FencedLedger, unit: SegmentUnit, chunks: number) {
    this.#environment = environment;
    this.#ledger = ledger;
    this.#unit = unit;
    this.#sequence = chunks;
  }

  /** The number that the next chunk will have. */
  get chunks(): number {
    return this.#sequence;
  }

  /** Resolves when it is stored: only then may the changes go. */
  async append(changes: readonly GuardedChange[]): Promise<readonly EntryPlace[]> {
    const places: EntryPlace[] = [];
    const writes: LedgerWrite[] = [];
    this.#pack(changes, places, writes);
    await this.#ledger.commit(writes);
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
    const marks = [...this.#skipped].map(([sequence, skipped]) => setMembers(chunkRecord, this.#key(sequence), { skipped }));
    this.#skipped.clear();
    return marks;
  }

  #pack(changes: readonly GuardedChange[], places: EntryPlace[], writes: LedgerWrite[]): void {
    const entries = this.#environment.codec.pack(printEntries(changes.map(journalEntryOf)));
    if (entries.byteLength > maxChunkBytes && changes.length > 1) {
      const half = Math.ceil(changes.length / 2);
      this.#pack(changes.slice(0, half), places, writes);
      this.#pack(changes.slice(half), places, writes);
      return;
    }
    const sequence = this.#sequence;
    this.#sequence += 1;
    for (const at of changes.keys()) places.push({ sequence, at });
    writes.push(put(chunkRecord, { ...this.#key(sequence), entries }));
  }

  #key(sequence: number) {
    const { migration, step, segment, generation } = this.#unit;
    return { migration, step, segment, generation, token: this.#ledger.lease.token, sequence };
  }
}
