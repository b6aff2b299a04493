import type { Item } from './attribute-value.ts';
import type { Pattern } from './pattern.ts';
import type { Table } from './table.ts';

/** The figures of one subject: what is left of it once TTL has taken its records. */
export interface ArchiveSummary {
  /** The day that it belongs to: `2025-12-17`. */
  readonly date: string;
  /** Its own line; `results` says of how many records it is made. */
  readonly line: { readonly results: number };
  /** Lines by what they are about, as `symbols`: kept by subject, and put together by day. */
  readonly groups: Readonly<Record<string, readonly object[]>>;
}

/** What is kept of records that expire: the figures of each subject (a scan, a session), written once. */
export interface Archive {
  /** The folder under `statistics/`. */
  readonly name: string;
  /** What one subject is called: `scan`. */
  readonly subject: string;
  /** The table with an item for each subject, and the attribute that holds its id. */
  readonly subjects: { readonly table: Table; readonly id: string };
  /** The pattern that finds the records of a subject, and its parameter for the id. */
  readonly records: { readonly pattern: Pattern; readonly parameter: string };
  /** Its records are still being written. */
  readonly isRunning: (subject: Item) => boolean;
  /** Pure. A subject whose own item has expired is undefined. */
  readonly summarise: (id: string, subject: Item | undefined, records: readonly Item[]) => ArchiveSummary;
  /** The lines of a group of several subjects of one day, as one line for each member of the group. */
  readonly merge: (lines: readonly object[]) => readonly object[];
}

export function defineArchive<Line extends object>(
  archive: Omit<Archive, 'merge' | 'summarise'> & {
    readonly summarise: (
      ...of: Parameters<Archive['summarise']>
    ) => Omit<ArchiveSummary, 'groups'> & { readonly groups: Readonly<Record<string, readonly Line[]>> };
    readonly merge: (lines: readonly Line[]) => readonly Line[];
  },
): Archive {
  // Lines come back as they were written: from the files that the same archive wrote.
  return archive as unknown as Archive;
}
