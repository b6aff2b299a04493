import type { ReleasedNames, TableNames } from '../../tables/model/shape/table-names.ts';
import type { DangerousChange } from './dangerous-changes.ts';

/**
 * Names that a stack's own settings change: a suffix, a base name. A table's name cannot change in place, so the table
 * would be deleted and made anew. A stack that was never released has nothing to lose.
 */
export function nameChanges(stack: string, released: ReleasedNames, current: TableNames): readonly DangerousChange[] {
  return Object.entries(released[stack] ?? {}).flatMap(([table, before]) => {
    const after = current[table];
    // One that left the catalogue or the stack's systems is not renamed; the one is told as such, the other is `protect`'s to stop.
    if (after === undefined || after === before) return [];
    const id = `${stack}/${table}/name`;
    const loss = `the table is replaced, with the loss of all its items: its name was ${before} and becomes ${after}`;
    return [{ id, loss }];
  });
}

/** An allowed change of names that is about another stack than this one. */
export function isOfAnotherStack(stack: string, change: string): boolean {
  return change.endsWith('/name') && change.split('/').length === 3 && !change.startsWith(`${stack}/`);
}
