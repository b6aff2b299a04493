import type { TableShape } from '../../tables/model/shape/shape.ts';
import type { ScaledCapacity } from '../../tables/model/stack/config/billing.ts';
import { billingOf, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';

export interface TableResourceOptions {
  readonly protect: boolean;
  readonly ignoreChanges: string[];
}

/** The resource options of a table: who may not delete it, and which of its values belong to auto scaling. */
export function tableOptions(table: Table, config: StackConfig, released: TableShape | undefined): TableResourceOptions {
  return {
    protect: config.protect,
    ignoreChanges: [...scaledValues(table, config, released), ...warmValues(table, config, released)],
  };
}

/**
 * Auto scaling changes capacities behind Pulumi's back, so they are left out of the comparison. Indexes are matched by
 * position, and a position that the deployed table lacks ends the deployment with "one or more elements of the path are
 * missing". So an index is ignored only where the released shape has it in the same place: a new one gets its capacity
 * from this deployment and is ignored from the next release on.
 */
function scaledValues(table: Table, config: StackConfig, released: TableShape | undefined): string[] {
  const billing = billingOf(table, config);
  if (billing.mode !== 'provisioned' || billing.drift === 'correct') return [];
  const values = ({ max }: Partial<ScaledCapacity>, prefix: string) => [
    ...(max?.read === undefined ? [] : [`${prefix}readCapacity`]),
    ...(max?.write === undefined ? [] : [`${prefix}writeCapacity`]),
  ];
  const ofIndexes = table.indexes.flatMap(({ name }, at) =>
    released?.indexes[at]?.name === name ? values(billing.indexes[name] ?? {}, `globalSecondaryIndexes[${at}].`) : [],
  );
  return [...values(billing.table, ''), ...ofIndexes];
}

/**
 * DynamoDB raises a warm throughput by itself as a table is used and never lowers a table's, so the number in the file is where a new
 * table begins. Places of indexes are ignored only where the released shape has the same index, as above.
 */
function warmValues(table: Table, { tables }: StackConfig, released: TableShape | undefined): string[] {
  const warm = tables[table.name]?.warm;
  if (warm === undefined) return [];
  const ofIndexes = table.indexes.flatMap(({ name }, at) =>
    warm.indexes[name] !== undefined && released?.indexes[at]?.name === name
      ? [`globalSecondaryIndexes[${at}].warmThroughput`]
      : [],
  );
  return [...(warm.read === undefined && warm.write === undefined ? [] : ['warmThroughput']), ...ofIndexes];
}
