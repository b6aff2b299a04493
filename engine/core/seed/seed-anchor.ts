import { scalarText } from '../../../tables/model/attribute-value.ts';
import type { ResolvedRow } from './resolve-row.ts';

/** Times move on once less than this part of a row's life is left. */
export const minLifeShare = 0.1;

/**
 * Is it time for `now` to mean the present again: has this row, with relative times, (nearly) come to its ttl? One whose
 * ttl lay in the past at its own anchor already is meant to.
 */
export function isAnchorSpent(row: ResolvedRow, anchor: number, nowSeconds: number): boolean {
  if (!row.relative || row.table.ttl === undefined) return false;
  const text = scalarText(row.item[row.table.ttl]);
  const ttl = text === undefined ? Number.NaN : Number(text);
  return ttl > anchor && ttl - nowSeconds < minLifeShare * (ttl - anchor);
}
