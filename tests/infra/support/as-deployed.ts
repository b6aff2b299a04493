import { keyElements } from '../../../engine/core/tables/create-table.ts';
import type { DeployedTable } from '../../../engine/core/tables/deployed-table.ts';
import type { Limits, TableBilling } from '../../../tables/model/stack/config/billing.ts';
import { leastWarm } from '../../../tables/model/stack/config/schema.ts';
import { contributorInsights } from '../../../tables/model/stack/insights.ts';
import { scalingOf } from '../../../tables/model/stack/scaling.ts';
import { billingOf, physicalName, pitrOf, type StackConfig } from '../../../tables/model/stack/stack-config.ts';
import { tableTags } from '../../../tables/model/stack/tags.ts';
import { keyAttributes, type Table } from '../../../tables/model/table.ts';
import { plainSettings } from '../../support/plain-settings.ts';

/** A table as AWS shows it after a deployment of these settings. */
export function asDeployed(table: Table, config: StackConfig): DeployedTable {
  const billing = billingOf(table, config);
  const own = config.tables[table.name];
  return {
    description: {
      name: physicalName(table, config),
      status: 'ACTIVE',
      key: keyElements(table.key),
      attributes: Object.fromEntries(keyAttributes(table).map(({ name, type }) => [name, type])),
      billing: billing.mode === 'provisioned' ? 'PROVISIONED' : 'PAY_PER_REQUEST',
      encryption: 'KMS',
      itemCount: 0,
      bytes: 0,
      ttl: { status: table.ttl === undefined ? 'DISABLED' : 'ENABLED', attribute: table.ttl },
      ...throughputOf(billing, undefined),
      indexes: table.indexes.map((index) => ({
        name: index.name,
        status: 'ACTIVE',
        key: keyElements(index),
        projection:
          typeof index.projection === 'string'
            ? { ProjectionType: index.projection }
            : { ProjectionType: 'INCLUDE', NonKeyAttributes: [...index.projection.include] },
        ...throughputOf(billing, index.name),
        warm: warmOf(own?.warm?.indexes[index.name]),
      })),
      settings: {
        ...plainSettings,
        stream: own?.stream,
        deletionProtection: config.protect,
        tableClass: own?.tableClass ?? 'STANDARD',
        maximum: throughputOf(billing, undefined).maximum,
        warm: warmOf(own?.warm),
      },
    },
    tags: tableTags(table, config),
    pitr: pitrOf(table, config),
    attachments: {
      scaling: scalingOf(table, config).map(({ resourceId, scalableDimension, minCapacity, maxCapacity, targetValue }) => {
        const policy = { name: 'any', percent: targetValue };
        return { resourceId, scalableDimension, min: minCapacity, max: maxCapacity, policy };
      }),
      insights: contributorInsights(table, config).map(({ indexName, mode }) => ({ index: indexName, mode })),
    },
    isAws: true,
  };
}

function throughputOf(billing: TableBilling, index: string | undefined) {
  if (billing.mode === 'provisioned') {
    const { read, write } = (index === undefined ? undefined : billing.indexes[index]) ?? billing.table;
    return { capacity: { read, write }, maximum: undefined };
  }
  return { capacity: { read: 0, write: 0 }, maximum: shown(index === undefined ? billing.table : billing.indexes[index]) };
}

function shown(limits: Limits | undefined) {
  const units = (limit: number | 'off' | undefined) => (limit === 'off' ? undefined : limit);
  const [read, write] = [units(limits?.read), units(limits?.write)];
  return { ...(read === undefined ? {} : { read }), ...(write === undefined ? {} : { write }) };
}

/** What DynamoDB gives every new one where nobody says more. */
function warmOf(own: { readonly read?: number | undefined; readonly write?: number | undefined } | undefined) {
  return { read: own?.read ?? leastWarm.read, write: own?.write ?? leastWarm.write };
}
