import { type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import { patternOfStateKey } from '../../../tables/tablewright/cutover-keys.ts';

export const readStates = ['scan', 'shadow', 'query'] as const;

/** How readers get a pattern's records: as ever, as ever with the query tried beside it, or by the query. */
export type ReadState = (typeof readStates)[number];

/** The state of a pattern in a stack. */
export interface StateRecord {
  readonly pattern: string;
  readonly state: ReadState;
  /** The part of reads that shadow tries, from 0 to 1. */
  readonly share: number;
  /** Grows by one with every change. */
  readonly version: number;
  readonly changedAt: string;
  readonly changedBy: string;
}

export const defaultShare = 0.1;

/** A pattern that nobody has moved yet. */
export function initialState(pattern: string): StateRecord {
  return { pattern, state: 'scan', share: defaultShare, version: 0, changedAt: '', changedBy: '' };
}

export function stateOfItem(item: Item): StateRecord {
  const state = scalarText(item.state);
  return {
    pattern: patternOfStateKey(scalarText(item.SK) ?? ''),
    // A state that this version does not know is one to be careful with: the scan is always right.
    state: readStates.find((known) => known === state) ?? 'scan',
    share: Number(scalarText(item.share) ?? defaultShare),
    version: Number(scalarText(item.version) ?? 0),
    changedAt: scalarText(item.changedAt) ?? '',
    changedBy: scalarText(item.changedBy) ?? '',
  };
}
