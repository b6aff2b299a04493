import { TablewrightError } from '../../../tables/model/error.ts';
import type { StateRecord } from '../../../tables/tablewright/migration-records.ts';
import { checkKnown } from './decide-runs.ts';
import type { Migration } from './define-migration.ts';
import type { MigrationSource } from './migration-set.ts';

/** Everything. */
export const rollbackAll = '0';

/** What a rollback undoes, newest first: all after `to`, or the last one. Pure. */
export function decideRollback(
  sources: readonly MigrationSource[],
  states: readonly StateRecord[],
  to: string | undefined,
): readonly { readonly source: MigrationSource; readonly state: StateRecord }[] {
  const target = to === undefined || to === rollbackAll ? '' : checkKnown(sources, to).migration.id;
  const touched = states.filter(({ state }) => state !== 'rolled-back').toSorted((a, b) => (a.id < b.id ? 1 : -1));
  const chosen = to === undefined ? touched.slice(0, 1) : touched.filter(({ id }) => id > target);
  const problems: string[] = [];
  const found = chosen.flatMap((state) => {
    const source = sources.find(({ migration }) => migration.id === state.id);
    if (source === undefined) problems.push(`${state.id}: its file is not in migrations/, so its steps are not known`);
    else problems.push(...rollbackProblems(source.migration));
    return source === undefined ? [] : [{ source, state }];
  });
  if (problems.length === 0) return found;
  throw new TablewrightError('BAD_MIGRATION', 'these migrations cannot be rolled back', {
    problems,
    next: 'Give the steps an undo, or restore the table to a point in time.',
  });
}

/** Why the migration cannot be undone; checked before anything is. */
export function rollbackProblems({ id, steps }: Migration): readonly string[] {
  return steps.flatMap((step) => {
    // What an import has replaced is in no journal; an export step before it is what it is undone with.
    const lacksUndo = step.kind === 'import' || (step.kind === 'custom' && step.undo === undefined);
    return lacksUndo ? [`${id}: step ${step.name} has no undo`] : [];
  });
}
