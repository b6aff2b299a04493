import { TablewrightError } from '../../../tables/model/error.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import { nameAdvice } from '../../core/show/name-advice.ts';
import type { OpenStack } from '../open-stack.ts';

/** A table of the stack by its name in the catalogue or its physical one. */
export function findTable(stack: OpenStack, name: string): { readonly table: Table; readonly tableName: string } {
  const table = stack.tables.find((one) => one.name === name || physicalName(one, stack.config) === name);
  if (table !== undefined) return { table, tableName: physicalName(table, stack.config) };
  throw new TablewrightError('UNKNOWN_NAME', `there is no table ${name}`, {
    next: nameAdvice(
      name,
      stack.tables.map((one) => one.name),
      stack.tables.map((one) => physicalName(one, stack.config)),
    ),
  });
}
