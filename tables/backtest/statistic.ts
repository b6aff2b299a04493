import { addDecimals } from '../model/decimal.ts';
import { greatestOf, leastOf, meanOf } from './exact-decimal.ts';

/** Figures of one quantity. Decimals are texts, so that no reader rounds them by accident. */
export interface Statistic {
  readonly count: number;
  readonly sum: string;
  readonly mean: string;
  readonly min: string;
  readonly max: string;
}

export function statisticOf(values: readonly string[]): Statistic | null {
  const [first, ...rest] = values;
  if (first === undefined) return null;
  const sum = rest.reduce(addDecimals, addDecimals(first, '0'));
  const all = { sum, min: rest.reduce(leastOf, first), max: rest.reduce(greatestOf, first) };
  return { count: values.length, sum: all.sum, mean: meanOf(all.sum, values.length), min: all.min, max: all.max };
}

/** The figures of both together, as if all their values had been taken at once. */
export function mergeStatistics(a: Statistic | null, b: Statistic | null): Statistic | null {
  if (a === null || b === null) return a ?? b;
  const count = a.count + b.count;
  const sum = addDecimals(a.sum, b.sum);
  return { count, sum, mean: meanOf(sum, count), min: leastOf(a.min, b.min), max: greatestOf(a.max, b.max) };
}

export type Tally = Readonly<Record<string, number>>;

export function tallyOf(words: readonly string[]): Tally {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export function mergeTallies(a: Tally, b: Tally): Tally {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].toSorted();
  return Object.fromEntries(names.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]));
}
