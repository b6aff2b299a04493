import type { LegacySort } from '../../../tables/model/pattern.ts';
import { compareBy } from '../read/plan-legacy.ts';
import type { AnswerEntry } from './entry.ts';

/** How the query's answer differs at one record. */
export type DifferenceKind =
  /** The scan finds it, the query does not. */
  | 'missing'
  /** The query gives it, the scan does not. */
  | 'extra'
  /** Both give it, with different contents. */
  | 'changed'
  /** Both give it, at different places. */
  | 'order';

export interface Suspicion {
  readonly kind: DifferenceKind;
  readonly entry: AnswerEntry;
}

/**
 * Compares the old answer, whole and sorted, with the new one, which `limit` may have cut. Records that are equal by the sort
 * may stand in any order, and any of those that tie at the limit may be the ones that fit.
 */
export function compareAnswers(
  sort: readonly LegacySort[],
  old: readonly AnswerEntry[],
  found: readonly AnswerEntry[],
  limit = Number.POSITIVE_INFINITY,
): readonly Suspicion[] {
  const oldById = new Map(old.map((entry) => [entry.id, entry]));
  const foundIds = new Set(found.map((entry) => entry.id));
  const last = found.at(-1);
  const full = found.length >= limit;
  const tiesAtEnd = (entry: AnswerEntry) => full && last !== undefined && compareBy(sort, entry.sorted, last.sorted) === 0;
  const missing = old.slice(0, limit).filter((entry) => !foundIds.has(entry.id) && !tiesAtEnd(entry));
  return [
    ...missing.map((entry) => ({ kind: 'missing', entry }) as const),
    ...found.flatMap((entry) => atRecord(entry, oldById.get(entry.id))),
    ...misplaced(sort, found).map((entry) => ({ kind: 'order', entry }) as const),
  ];
}

function atRecord(entry: AnswerEntry, old: AnswerEntry | undefined): readonly Suspicion[] {
  if (old === undefined) return [{ kind: 'extra', entry }];
  return old.digest === entry.digest ? [] : [{ kind: 'changed', entry }];
}

/** The records around each place where the answer runs against the sort, judged by the records' own attributes. */
export function misplaced(sort: readonly LegacySort[], found: readonly AnswerEntry[]): readonly AnswerEntry[] {
  const wrong = new Set<AnswerEntry>();
  for (const [at, entry] of found.entries()) {
    const before = found[at - 1];
    if (before === undefined || compareBy(sort, before.sorted, entry.sorted) <= 0) continue;
    wrong.add(before).add(entry);
  }
  return [...wrong];
}
