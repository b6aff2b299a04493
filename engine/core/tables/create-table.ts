import { type KeySchema, keyAttributes, type Projection, type Table } from '../../../tables/model/table.ts';
import type { TableBilling } from '../../../tables/stack-config/billing.ts';
import { billingOf, physicalName, type StackConfig } from '../../../tables/stack-config.ts';
import { type Tags, tableTags } from '../../../tables/tags.ts';
import type { CreateTableRequest, KeyElement, ProjectionRequest, Throughput } from '../store/store.ts';

/** The CreateTable request of a table in a stack, with all its indexes. TTL is a call of its own. */
export function createTableRequest(table: Table, config: StackConfig): CreateTableRequest {
  const billing = billingOf(table, config);
  const indexes = table.indexes.map((index) => ({
    IndexName: index.name,
    KeySchema: keyElements(index),
    Projection: projectionRequest(index.projection),
    ...throughputOf(billing, index.name),
  }));
  return {
    TableName: physicalName(table, config),
    AttributeDefinitions: keyAttributes(table).map(({ name, type }) => ({ AttributeName: name, AttributeType: type })),
    KeySchema: keyElements(table.key),
    ...(indexes.length === 0 ? {} : { GlobalSecondaryIndexes: indexes }),
    BillingMode: billing.mode === 'provisioned' ? 'PROVISIONED' : 'PAY_PER_REQUEST',
    ...throughputOf(billing),
    SSESpecification: { Enabled: true, SSEType: 'KMS' },
    Tags: tagList(tableTags(table, config)),
  };
}

/** On-demand maxima are no capacity: only provisioned tables and indexes have one. */
function throughputOf(billing: TableBilling, index?: string): { readonly ProvisionedThroughput?: Throughput } {
  if (billing.mode === 'on-demand') return {};
  const { read, write } = (index === undefined ? undefined : billing.indexes[index]) ?? billing.table;
  return { ProvisionedThroughput: { ReadCapacityUnits: read, WriteCapacityUnits: write } };
}

export function tagList(tags: Tags): { Key: string; Value: string }[] {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

export function keyElements(schema: KeySchema): KeyElement[] {
  const hash: KeyElement = { AttributeName: schema.hash.name, KeyType: 'HASH' };
  return schema.range === undefined ? [hash] : [hash, { AttributeName: schema.range.name, KeyType: 'RANGE' }];
}

export function projectionRequest(projection: Projection): ProjectionRequest {
  if (typeof projection === 'string') return { ProjectionType: projection };
  return { ProjectionType: 'INCLUDE', NonKeyAttributes: [...projection.include] };
}
