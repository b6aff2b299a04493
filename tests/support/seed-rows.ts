import { ReferenceChecker } from '../../engine/core/seed/check-references.ts';
import type { DeclaredRow } from '../../engine/core/seed/declared-record.ts';
import { type ResolvedRow, resolveRow } from '../../engine/core/seed/resolve-row.ts';

/** What the rows refer to and is not among them. */
export function checkReferences(rows: readonly DeclaredRow[]): readonly string[] {
  const checker = new ReferenceChecker(rows.map(({ table }) => table));
  for (const row of rows) checker.add(row, true);
  return checker.missing();
}

interface CheckedRows {
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

/** All rows of a set at once. */
export async function rowsOf(declared: AsyncIterable<DeclaredRow>): Promise<readonly DeclaredRow[]> {
  const rows: DeclaredRow[] = [];
  for await (const row of declared) rows.push(row);
  return rows;
}
