import { TablewrightError } from '../../../tables/model/error.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import type { Table } from '../../../tables/model/table.ts';
import { legacyOf } from '../../core/read/plan-legacy.ts';
import { cutoverPatterns } from '../../run/cutover/status.ts';
import { findPattern } from '../pattern-arguments.ts';

/** The patterns that were named, or all with `--all`; never all by accident. */
export function selectPatterns(tables: readonly Table[], names: readonly string[], all: boolean): readonly Pattern[] {
  if (all && names.length > 0) {
    throw new TablewrightError('BAD_ARGUMENT', `--all and ${names.join(', ')} exclude each other`, {
      next: 'Name patterns, or give --all for every one.',
    });
  }
  if (all) return cutoverPatterns(tables);
  if (names.length === 0) {
    throw new TablewrightError('BAD_ARGUMENT', 'no pattern was named', {
      next: "Name one or more, or give --all; 'tablewright cutover status' lists them.",
    });
  }
  const chosen = [...new Set(names)].map((name) => findPattern(tables, name));
  for (const pattern of chosen) legacyOf(pattern);
  return chosen;
}
