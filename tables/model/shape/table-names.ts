import { physicalName, type StackConfig, tablesOf } from '../stack/stack-config.ts';
import type { Table } from '../table.ts';

/** The physical names of a stack's tables, by their names in the catalogue. */
export type TableNames = Readonly<Record<string, string>>;

/** Of every stack, as it was last released. */
export type ReleasedNames = Readonly<Record<string, TableNames>>;

export function namesOf(config: StackConfig, catalogue: readonly Table[]): TableNames {
  return Object.fromEntries(tablesOf(config, catalogue).map((table) => [table.name, physicalName(table, config)]));
}
