import type { PatternState, ReadState } from '../../../tables/model/ledger/cutover-records.ts';
import { isLegacyQuery, type Pattern } from '../../../tables/model/pattern.ts';

export type { PatternState, ReadState };

export const defaultShare = 0.1;

/** A pattern that nobody has moved yet. */
export function initialState(pattern: string): PatternState {
  return { pattern, state: 'scan', share: defaultShare, version: 0, changedAt: '', changedBy: '' };
}

/**
 * How a pattern is read, from what the ledger has of it. A state is of the index that it was proven for: a pattern that stands on
 * another one by now is one that nobody has moved yet. Records of earlier versions do not say; those were of a Scan.
 */
export function stateFor(pattern: Pick<Pattern, 'name' | 'index' | 'legacy'>, record: PatternState | undefined): PatternState {
  const { name, index, legacy } = pattern;
  if (record === undefined) return initialState(name);
  const isItsOwn = record.index === index || (record.index === undefined && !isLegacyQuery(legacy));
  return isItsOwn ? record : { ...record, state: 'scan' };
}

/** As people read it: `scan` is the name of every old form, also where that is an index. */
export function showState(state: ReadState, formerIndex: string | null | undefined): string {
  return state === 'scan' && typeof formerIndex === 'string' ? `on ${formerIndex}` : state;
}
