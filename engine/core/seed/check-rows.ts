import { canonicalItem } from '../../../tables/model/canonical.ts';
import { checkReferences } from './check-references.ts';
import { type DeclaredRow, showPlace } from './declared-record.ts';
import { type ResolvedRow, resolveRow } from './resolve-row.ts';

export interface CheckedRows {
  readonly rows: readonly ResolvedRow[];
  readonly problems: readonly string[];
}

/** Rows of files as they are stored when `now` is `anchor`, or what is wrong with them. */
export function resolveRows(declared: readonly DeclaredRow[], anchor: number): CheckedRows {
  const rows: ResolvedRow[] = [];
  const problems: string[] = [];
  for (const one of declared) {
    const resolution = resolveRow(one, anchor);
    if ('row' in resolution) rows.push(resolution.row);
    else problems.push(...resolution.problems);
  }
  return { rows, problems };
}

/** Everything that can be said of rows before a stack is asked: schemas, keys, references, two rows with one key. */
export function checkRows(declared: readonly DeclaredRow[], others: readonly DeclaredRow[], anchor: number): readonly string[] {
  const own = resolveRows(declared, anchor);
  const rest = resolveRows(others, anchor);
  return [...own.problems, ...rest.problems, ...checkReferences(declared, others), ...repeatedKeys(own.rows)];
}

function repeatedKeys(rows: readonly ResolvedRow[]): readonly string[] {
  const first = new Map<string, ResolvedRow>();
  return rows.flatMap((row) => {
    const id = `${row.table.name} ${canonicalItem(row.key)}`;
    const earlier = first.get(id);
    if (earlier === undefined) {
      first.set(id, row);
      return [];
    }
    return [`${showPlace(row.place)}: ${row.table.name} has this key twice; the first is at ${showPlace(earlier.place)}`];
  });
}
