import { physicalName, type StackConfig } from '../../../tables/model/stack/stack-config.ts';
import { type Tags, tableTags } from '../../../tables/model/stack/tags.ts';
import type { Table } from '../../../tables/model/table.ts';
import type { TableDifference } from './compare-table.ts';

/** The tags that a table should have and has not. Others may hang on it, too: those are somebody else's. */
export function compareTags(table: Table, config: StackConfig, found: Tags): readonly TableDifference[] {
  const wrong = Object.entries(tableTags(table, config)).filter(([name, value]) => found[name] !== value);
  if (wrong.length === 0) return [];
  return [
    {
      table: physicalName(table, config),
      what: 'tags',
      expected: wrong.map(([name, value]) => `${name}=${value}`).join(', '),
      found: wrong.map(([name]) => (found[name] === undefined ? `no ${name}` : `${name}=${found[name]}`)).join(', '),
    },
  ];
}
