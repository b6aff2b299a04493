import { type KeySchema, keyAttributes, type Projection, type Table } from '../../tables/model/table.ts';
import { physicalName, type StackConfig, stackKind } from '../../tables/stack-config.ts';
import type { CreateTableRequest, KeyElement, ProjectionRequest } from './store.ts';

/** The CreateTable request of a table in a stack, with all its indexes. TTL is a call of its own. */
export function createTableRequest(table: Table, config: StackConfig): CreateTableRequest {
  const name = physicalName(table, config);
  const billing = table.billing[stackKind(config)];
  const throughput =
    billing.mode === 'provisioned'
      ? { ProvisionedThroughput: { ReadCapacityUnits: billing.read, WriteCapacityUnits: billing.write } }
      : {};
  const indexes = table.indexes.map((index) => ({
    IndexName: index.name,
    KeySchema: keyElements(index),
    Projection: projectionRequest(index.projection),
    ...throughput,
  }));
  return {
    TableName: name,
    AttributeDefinitions: keyAttributes(table).map(({ name, type }) => ({ AttributeName: name, AttributeType: type })),
    KeySchema: keyElements(table.key),
    ...(indexes.length === 0 ? {} : { GlobalSecondaryIndexes: indexes }),
    BillingMode: billing.mode === 'provisioned' ? 'PROVISIONED' : 'PAY_PER_REQUEST',
    ...throughput,
    SSESpecification: { Enabled: true, SSEType: 'KMS' },
    Tags: tableTags(table, config),
  };
}

export function tableTags(table: Table, config: StackConfig): { Key: string; Value: string }[] {
  return [
    { Key: 'Environment', Value: config.stack },
    { Key: 'Service', Value: table.system },
    { Key: 'Table', Value: table.name },
  ];
}

export function keyElements(schema: KeySchema): KeyElement[] {
  const hash: KeyElement = { AttributeName: schema.hash.name, KeyType: 'HASH' };
  return schema.range === undefined ? [hash] : [hash, { AttributeName: schema.range.name, KeyType: 'RANGE' }];
}

export function projectionRequest(projection: Projection): ProjectionRequest {
  if (typeof projection === 'string') return { ProjectionType: projection };
  return { ProjectionType: 'INCLUDE', NonKeyAttributes: [...projection.include] };
}
