import type { TableBilling } from '../../../tables/model/stack/config/billing.ts';
import { billingOf, physicalName, type StackConfig } from '../../../tables/model/stack/stack-config.ts';
import { type Tags, tableTags } from '../../../tables/model/stack/tags.ts';
import {
  type IndexKey,
  type KeySchema,
  keyAttributes,
  keyParts,
  type Projection,
  type Table,
} from '../../../tables/model/table.ts';
import type {
  AddIndexRequest,
  CreateTableRequest,
  IndexRequest,
  KeyElement,
  ProjectionRequest,
  TableDescription,
  Throughput,
} from '../store/store.ts';

/** The CreateTable request of a table in a stack, with all its indexes. TTL is a call of its own. */
export function createTableRequest(table: Table, config: StackConfig): CreateTableRequest {
  const billing = billingOf(table, config);
  const indexes = table.indexes.map((index) => indexRequest(index, billing));
  return {
    TableName: physicalName(table, config),
    AttributeDefinitions: attributeDefinitions(keyAttributes(table)),
    KeySchema: keyElements(table.key),
    ...(indexes.length === 0 ? {} : { GlobalSecondaryIndexes: indexes }),
    BillingMode: billing.mode === 'provisioned' ? 'PROVISIONED' : 'PAY_PER_REQUEST',
    ...throughputOf(billing),
    SSESpecification: { Enabled: true, SSEType: 'KMS' },
    Tags: tagList(tableTags(table, config)),
  };
}

/**
 * The request that adds an index to a table that has some of the others. It names the key attributes of those that are there
 * and of the new one, no more: DynamoDB refuses attributes that no key uses.
 */
export function addIndexRequest(
  table: Table,
  config: StackConfig,
  index: Table['indexes'][number],
  present: TableDescription,
): AddIndexRequest {
  const used = new Set([...present.key, ...present.indexes.flatMap(({ key }) => key), ...keyElements(index)].map(nameOf));
  return {
    TableName: physicalName(table, config),
    AttributeDefinitions: attributeDefinitions(keyAttributes(table).filter(({ name }) => used.has(name))),
    GlobalSecondaryIndexUpdates: [{ Create: indexRequest(index, billingOf(table, config)) }],
  };
}

const nameOf = ({ AttributeName }: KeyElement): string => AttributeName;

function attributeDefinitions(attributes: ReturnType<typeof keyAttributes>): CreateTableRequest['AttributeDefinitions'] {
  return attributes.map(({ name, type }) => ({ AttributeName: name, AttributeType: type }));
}

function indexRequest(index: Table['indexes'][number], billing: TableBilling): IndexRequest {
  return {
    IndexName: index.name,
    KeySchema: keyElements(index),
    Projection: projectionRequest(index.projection),
    ...throughputOf(billing, index.name),
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

export function keyElements(schema: KeySchema | IndexKey): KeyElement[] {
  const { hash, range } = keyParts(schema);
  return [
    ...hash.map(({ name }) => ({ AttributeName: name, KeyType: 'HASH' as const })),
    ...range.map(({ name }) => ({ AttributeName: name, KeyType: 'RANGE' as const })),
  ];
}

export function projectionRequest(projection: Projection): ProjectionRequest {
  if (typeof projection === 'string') return { ProjectionType: projection };
  return { ProjectionType: 'INCLUDE', NonKeyAttributes: [...projection.include] };
}
