import type { PatternState, ReadState } from '../../../tables/model/ledger/cutover-records.ts';

export type { PatternState, ReadState };

export const defaultShare = 0.1;

/** A pattern that nobody has moved yet. */
export function initialState(pattern: string): PatternState {
  return { pattern, state: 'scan', share: defaultShare, version: 0, changedAt: '', changedBy: '' };
}
