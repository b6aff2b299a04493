import type { Table } from '../table.ts';
import { physicalName, type StackConfig } from './stack-config.ts';

export interface InsightsArgs {
  /** `orders`, `orders-orders_by_owner`: unique within a stack. */
  readonly id: string;
  readonly tableName: string;
  readonly indexName?: string;
  readonly mode: 'ACCESSED_AND_THROTTLED_KEYS' | 'THROTTLED_KEYS';
}

/** What tells which keys of a table and of each of its indexes are used or throttled most. */
export function contributorInsights(table: Table, config: StackConfig): readonly InsightsArgs[] {
  const wanted = config.tables[table.name]?.contributorInsights ?? config.contributorInsights;
  if (wanted === 'off') return [];
  const mode = wanted === 'throttled' ? 'THROTTLED_KEYS' : 'ACCESSED_AND_THROTTLED_KEYS';
  const tableName = physicalName(table, config);
  return [
    { id: table.name, tableName, mode },
    ...table.indexes.map(({ name }) => ({ id: `${table.name}-${name}`, tableName, indexName: name, mode }) as const),
  ];
}
