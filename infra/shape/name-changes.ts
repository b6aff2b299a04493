import { physicalName, type StackConfig, tablesOf } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import type { DangerousChange } from './dangerous-changes.ts';

/** The physical names of a stack's tables, by their names in the catalogue. */
export type TableNames = Readonly<Record<string, string>>;

/** Of every stack, as it was last released. */
export type ReleasedNames = Readonly<Record<string, TableNames>>;

export function namesOf(config: StackConfig, catalogue: readonly Table[]): TableNames {
  return Object.fromEntries(tablesOf(config, catalogue).map((table) => [table.name, physicalName(table, config)]));
}

/**
 * Names that a stack's own settings change: a suffix, a base name, a system less. A table's name cannot change in place, so the table
 * would be deleted and made anew. A stack that was never released has nothing to lose.
 */
export function nameChanges(
  stack: string,
  released: ReleasedNames,
  current: TableNames,
  catalogue: readonly Pick<Table, 'name'>[],
): readonly DangerousChange[] {
  return Object.entries(released[stack] ?? {}).flatMap(([table, before]) => {
    // One that left the catalogue is told as such.
    if (!catalogue.some(({ name }) => name === table)) return [];
    const after = current[table];
    const id = nameChangeId(stack, table);
    if (after === undefined)
      return [{ id, loss: `the table ${before} is deleted with all its items: the stack no longer has it` }];
    if (after === before) return [];
    const loss = `the table is replaced, with the loss of all its items: its name was ${before} and becomes ${after}`;
    return [{ id, loss }];
  });
}

function nameChangeId(stack: string, table: string): string {
  return `${stack}/${table}/name`;
}

/** An allowed change of names that is about another stack than this one. */
export function isOfAnotherStack(stack: string, change: string): boolean {
  return change.endsWith('/name') && change.split('/').length === 3 && !change.startsWith(`${stack}/`);
}
