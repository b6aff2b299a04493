/**
 * The keys of the ledger's records. Each part of the toolkit has prefixes of its own: `LOCK#`, `CONTROL#`, `MIGRATIONS`,
 * `MIGRATION#` and `JOURNAL#` are the migrations' (docs/design/migrations.md), `SEED#` the seeds', `CUTOVER#` the read cut-over's.
 */
export interface LedgerKey {
  readonly PK: string;
  readonly SK: string;
}

/** Fixed width, so that numbers sort as texts. */
const padded = (value: number, width: number): string => String(value).padStart(width, '0');

const tokenWidth = 10;

/** What may run at once has locks of different scopes. */
export const lockKey = (scope: string): LedgerKey => ({ PK: `LOCK#${scope}`, SK: 'LEASE' });

export const pauseKey = (scope: string): LedgerKey => ({ PK: `CONTROL#${scope}`, SK: 'PAUSE' });

export const migrationPartition = (id: string): string => `MIGRATION#${id}`;

/** All states lie together, so that one query lists them, also those whose file is gone. */
export const statesPartition = 'MIGRATIONS';

export const stateKey = (id: string): LedgerKey => ({ PK: statesPartition, SK: id });

export const stepKey = (id: string, generation: number, step: number): LedgerKey => ({
  PK: migrationPartition(id),
  SK: `STEP#${padded(generation, 4)}#${padded(step, 3)}`,
});

export const segmentPrefix = (generation: number, step: number, pass: string): string =>
  `SEGMENT#${padded(generation, 4)}#${padded(step, 3)}#${pass}#`;

export const segmentKey = (id: string, generation: number, step: number, pass: string, segment: number): LedgerKey => ({
  PK: migrationPartition(id),
  SK: `${segmentPrefix(generation, step, pass)}${padded(segment, 5)}`,
});

export const deadPrefix = 'DEAD#';

/** `itemKey` is a digest: the key itself may be longer than a sort key. */
export const deadKey = (id: string, step: number, itemKey: string): LedgerKey => ({
  PK: migrationPartition(id),
  SK: `${deadPrefix}${padded(step, 3)}#${itemKey}`,
});

export const eventPrefix = 'EVENT#';

export const eventKey = (id: string, time: string, token: number, sequence: number): LedgerKey => ({
  PK: migrationPartition(id),
  SK: `${eventPrefix}${time}#${padded(token, tokenWidth)}#${padded(sequence, 4)}`,
});

export const timelinePrefix = 'TIMELINE#';

export const timelineKey = (id: string, token: number): LedgerKey => ({
  PK: migrationPartition(id),
  SK: `${timelinePrefix}${padded(token, tokenWidth)}`,
});

/** A partition per segment: the journal is the ledger's heaviest writer. */
export const journalPartition = (id: string, step: number, segment: number): string =>
  `JOURNAL#${id}#${padded(step, 3)}#${padded(segment, 5)}`;

export interface ChunkPlace {
  readonly generation: number;
  readonly token: number;
  readonly sequence: number;
}

export const chunkPrefix = (generation: number): string => `CHUNK#${padded(generation, 4)}#`;

export const journalKey = (id: string, step: number, segment: number, chunk: ChunkPlace): LedgerKey => ({
  PK: journalPartition(id, step, segment),
  SK: `${chunkPrefix(chunk.generation)}${padded(chunk.token, tokenWidth)}#${padded(chunk.sequence, 8)}`,
});
