import type { Table } from '../table.ts';
import type { ScaledCapacity } from './config/billing.ts';
import { billingOf, physicalName, type StackConfig } from './stack-config.ts';

/** One capacity that Application Auto Scaling moves between two bounds. */
export interface Scaling {
  /** `read`, `write`, `StatusIndex-read`: unique within a table. */
  readonly name: string;
  readonly resourceId: string;
  readonly scalableDimension: string;
  readonly minCapacity: number;
  readonly maxCapacity: number;
  readonly predefinedMetricType: 'DynamoDBReadCapacityUtilization' | 'DynamoDBWriteCapacityUtilization';
  /** Percent of the provisioned capacity. */
  readonly targetValue: number;
}

/**
 * What scales in a table: reads and writes of the table and of each index that has an upper bound. The program registers it so,
 * and `doctor` and `adopt` compare it with what is there.
 */
export function scalingOf(table: Table, config: StackConfig): readonly Scaling[] {
  const billing = billingOf(table, config);
  if (billing.mode !== 'provisioned') return [];
  const tableId = `table/${physicalName(table, config)}`;
  const indexes = table.indexes.flatMap(({ name }) =>
    pair(`${name}-`, `${tableId}/index/${name}`, 'index', billing.indexes[name] ?? billing.table, billing.targetUtilization),
  );
  return [...pair('', tableId, 'table', billing.table, billing.targetUtilization), ...indexes];
}

function pair(
  prefix: string,
  resourceId: string,
  kind: 'table' | 'index',
  { read, write, max }: ScaledCapacity,
  targetValue: number,
): readonly Scaling[] {
  const scaling = (way: 'Read' | 'Write', minCapacity: number, maxCapacity: number | undefined): readonly Scaling[] =>
    maxCapacity === undefined
      ? []
      : [
          {
            name: `${prefix}${way.toLowerCase()}`,
            resourceId,
            scalableDimension: `dynamodb:${kind}:${way}CapacityUnits`,
            minCapacity,
            maxCapacity,
            predefinedMetricType: `DynamoDB${way}CapacityUtilization`,
            targetValue,
          },
        ];
  return [...scaling('Read', read, max?.read), ...scaling('Write', write, max?.write)];
}
