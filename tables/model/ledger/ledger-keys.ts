import { renderPrefix } from '../template.ts';

/**
 * The keys of all records of the ledger; there are no others. Each part of the toolkit has prefixes of its own, so that its
 * records are found with one Query and never meet those of another. Numbers have a fixed width, so that they sort as texts.
 */
export const ledgerKeys = {
  /** What may run at once has locks of different scopes. */
  lock: { PK: 'LOCK#{scope}', SK: 'LEASE' },
  pause: { PK: 'CONTROL#{scope}', SK: 'PAUSE' },
  stop: { PK: 'CONTROL#{scope}', SK: 'STOP' },
  /** A partition per unit: each of many workers asks for its own with every write. */
  claim: { PK: 'UNIT#{migration}#{step|pad3}#{segment|pad5}', SK: 'CLAIM' },
  unit: { PK: 'UNIT#{migration}#{step|pad3}#{segment|pad5}', SK: 'SEGMENT#{generation|pad4}#{pass}' },
  /** All states lie together, so that one Query lists them, also those whose file is gone. */
  state: { PK: 'MIGRATIONS', SK: '{id}' },
  step: { PK: 'MIGRATION#{migration}', SK: 'STEP#{generation|pad4}#{step|pad3}' },
  segment: { PK: 'MIGRATION#{migration}', SK: 'SEGMENT#{generation|pad4}#{step|pad3}#{pass}#{segment|pad5}' },
  /** By a digest: the item's key itself may be longer than a sort key. */
  deadLetter: { PK: 'MIGRATION#{migration}', SK: 'DEAD#{step|pad3}#{digest}' },
  event: { PK: 'MIGRATION#{migration}', SK: 'EVENT#{at}#{token|pad10}#{sequence|pad4}' },
  timeline: { PK: 'MIGRATION#{migration}', SK: 'TIMELINE#{token|pad10}' },
  /** One for each migration: the runner that has the lock writes it over and over. */
  live: { PK: 'MIGRATION#{migration}', SK: 'LIVE' },
  execution: { PK: 'MIGRATION#{migration}', SK: 'EXECUTION#{generation|pad4}#{step|pad3}#{pass}' },
  /** A partition per segment: the journal is the ledger's heaviest writer. Each writer numbers its own parts. */
  journalPart: {
    PK: 'JOURNAL#{migration}#{step|pad3}#{segment|pad5}',
    SK: 'PART#{generation|pad4}#{token|pad10}#{attempt|pad4}#{sequence|pad8}',
  },
  journalHead: {
    PK: 'JOURNAL#{migration}#{step|pad3}#{segment|pad5}',
    SK: 'HEAD#{generation|pad4}#{token|pad10}#{attempt|pad4}',
  },
  /** Before format 2. */
  journalChunk: {
    PK: 'JOURNAL#{migration}#{step|pad3}#{segment|pad5}',
    SK: 'CHUNK#{generation|pad4}#{token|pad10}#{sequence|pad8}',
  },
  seedSet: { PK: 'SEED#{set}', SK: 'SET' },
  seedRow: { PK: 'SEED#{set}', SK: 'ROW#{identity}' },
  seedVolume: { PK: 'SEED#{set}', SK: 'VOLUME#{seed}' },
  /** All states lie in one partition, so that a reader learns them with one Query; what is written more often does not. */
  cutoverState: { PK: 'CUTOVER#states', SK: 'PATTERN#{pattern}' },
  cutoverEvent: { PK: 'CUTOVER#{pattern}', SK: 'EVENT#{version|pad8}' },
  shadowCounts: { PK: 'CUTOVER#{pattern}', SK: 'SHADOW#{version|pad8}' },
  shadowDifference: { PK: 'CUTOVER#{pattern}', SK: 'DIFFERENCE#{version|pad8}#{key|rest}' },
  import: { PK: 'TRANSFER#import#{table}', SK: '{identity}' },
  /** Where the segments of a masked export go on: keys of the source, so never beside the export. */
  exportSegment: { PK: 'TRANSFER#export#{table}', SK: '{export}#{segment|pad5}' },
  /** What was removed of people; all in one partition, so that one Query lists them. */
  erasure: { PK: 'SUBJECT#erasures', SK: '{at}#{id}' },
  bulkImport: { PK: 'TRANSFER#bulk#{table}', SK: '{identity}' },
} as const;

/** The partition of a kind of record, for whoever grants access to it. */
export function ledgerPartition(kind: keyof typeof ledgerKeys, values: Readonly<Record<string, string>> = {}): string {
  return renderPrefix(ledgerKeys[kind].PK, (name) => values[name]);
}
