import type { LedgerKey } from './ledger-keys.ts';

/**
 * The read cut-over's records in the ledger. All states lie in one partition, so that a reader learns them with one Query;
 * what is written more often lies under the pattern's own.
 */
export const cutoverStates = 'CUTOVER#states';

export const cutoverStateKey = (pattern: string): LedgerKey => ({ PK: cutoverStates, SK: `PATTERN#${pattern}` });

export const patternOfStateKey = (sortKey: string): string => sortKey.replace(/^PATTERN#/, '');

export const cutoverPartition = (pattern: string): string => `CUTOVER#${pattern}`;

const versionWidth = 8;
const padded = (version: number): string => String(version).padStart(versionWidth, '0');

/** A change of state; versions only grow. */
export const cutoverEventKey = (pattern: string, version: number): LedgerKey => ({
  PK: cutoverPartition(pattern),
  SK: `EVENT#${padded(version)}`,
});

/** What shadow reads have found since the state of this version began. */
export const shadowCountsKey = (pattern: string, version: number): LedgerKey => ({
  PK: cutoverPartition(pattern),
  SK: `SHADOW#${padded(version)}`,
});

export const shadowDifferencePrefix = (version: number): string => `DIFFERENCE#${padded(version)}#`;

/** The last difference that shadow reads found at a record. */
export const shadowDifferenceKey = (pattern: string, version: number, recordKey: string): LedgerKey => ({
  PK: cutoverPartition(pattern),
  SK: `${shadowDifferencePrefix(version)}${recordKey}`,
});
