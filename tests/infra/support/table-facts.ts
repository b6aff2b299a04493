import type { TableDescription as SdkTable, Tag } from '@aws-sdk/client-dynamodb';
import type { CreateTableRequest } from '../../../engine/core/store/store.ts';
import type { Registered } from './registered.ts';

/** What a table is, in words that do not depend on who describes it. */
export interface TableFacts {
  readonly name: string;
  readonly key: readonly string[];
  readonly attributes: readonly string[];
  readonly billing: string;
  readonly capacity: string;
  readonly indexes: readonly string[];
  readonly encrypted: boolean;
  readonly tags: readonly string[];
}

interface IndexInputs {
  readonly name: string;
  readonly keySchemas: readonly { readonly attributeName: string; readonly keyType: string }[];
  readonly projectionType: string;
  readonly nonKeyAttributes?: readonly string[];
  readonly readCapacity?: number;
  readonly writeCapacity?: number;
}

/** The facts of a table that the Pulumi program registers. */
export function registeredFacts({ inputs }: Registered): TableFacts {
  const { hashKey, rangeKey } = inputs;
  const attributes = inputs.attributes as readonly { readonly name: string; readonly type: string }[];
  return {
    name: String(inputs.name),
    key: [`${hashKey} HASH`, ...(rangeKey === undefined ? [] : [`${rangeKey} RANGE`])],
    attributes: attributes.map(({ name, type }) => `${name} ${type}`).toSorted(),
    billing: String(inputs.billingMode),
    capacity: capacity(inputs.readCapacity, inputs.writeCapacity),
    indexes: ((inputs.globalSecondaryIndexes ?? []) as readonly IndexInputs[])
      .map((index) =>
        indexText(
          index.name,
          index.keySchemas.map(({ attributeName, keyType }) => `${attributeName} ${keyType}`),
          [index.projectionType, ...(index.nonKeyAttributes ?? [])],
          capacity(index.readCapacity, index.writeCapacity),
        ),
      )
      .toSorted(),
    encrypted: (inputs.serverSideEncryption as { readonly enabled: boolean }).enabled,
    tags: Object.entries(inputs.tags as Readonly<Record<string, string>>)
      .map(([name, value]) => `${name}=${value}`)
      .toSorted(),
  };
}

/** The facts of a table as DynamoDB's API tells them: a request to create it, or the description of a created one. */
export function apiFacts(table: CreateTableRequest | SdkTable, tags: readonly Tag[]): TableFacts {
  const mode = 'BillingMode' in table ? table.BillingMode : (table as SdkTable).BillingModeSummary?.BillingMode;
  const encrypted =
    'SSESpecification' in table ? table.SSESpecification.Enabled : (table as SdkTable).SSEDescription?.Status === 'ENABLED';
  const keys = (schema: SdkTable['KeySchema']) =>
    (schema ?? []).map(({ AttributeName, KeyType }) => `${AttributeName} ${KeyType}`);
  const units = (throughput: SdkTable['ProvisionedThroughput']) =>
    capacity(throughput?.ReadCapacityUnits || undefined, throughput?.WriteCapacityUnits || undefined);
  return {
    name: table.TableName ?? '',
    key: keys(table.KeySchema),
    attributes: (table.AttributeDefinitions ?? [])
      .map(({ AttributeName, AttributeType }) => `${AttributeName} ${AttributeType}`)
      .toSorted(),
    billing: mode ?? 'PROVISIONED',
    capacity: units(table.ProvisionedThroughput),
    indexes: (table.GlobalSecondaryIndexes ?? [])
      .map(({ IndexName = '', KeySchema, Projection, ProvisionedThroughput }) =>
        indexText(
          IndexName,
          keys(KeySchema),
          [Projection?.ProjectionType ?? '', ...(Projection?.NonKeyAttributes ?? [])],
          units(ProvisionedThroughput),
        ),
      )
      .toSorted(),
    encrypted,
    tags: tags.map(({ Key, Value }) => `${Key}=${Value}`).toSorted(),
  };
}

function capacity(read: unknown, write: unknown): string {
  return read === undefined ? 'none' : `${read} / ${write}`;
}

function indexText(name: string, key: readonly string[], projection: readonly string[], units: string): string {
  return `${name}: ${key.join(', ')}; ${projection.join(' ')}; ${units}`;
}
