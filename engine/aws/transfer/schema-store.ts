import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import type { SchemaStore, TableSchema } from '../../../tables/model/transfer/table-schema.ts';
import { listTags } from '../store/list-tags.ts';
import { storeError } from '../store/store-error.ts';

/** What a table is, for an export to keep, and a table made from that. */
export function schemaStore(client: DynamoDBClient): SchemaStore {
  const abort = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { abortSignal: signal });
  return {
    describe: (tableName, signal) =>
      guarded(tableName, async () => {
        try {
          const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }), abort(signal));
          if (Table === undefined) return undefined;
          const { TimeToLiveDescription: ttl } = await client.send(
            new DescribeTimeToLiveCommand({ TableName: tableName }),
            abort(signal),
          );
          const on = ttl?.TimeToLiveStatus === 'ENABLED' || ttl?.TimeToLiveStatus === 'ENABLING';
          const tags = await listTags(client, Table.TableArn ?? '', signal);
          return schemaOf(Table, on ? ttl?.AttributeName : undefined, tags);
        } catch (error) {
          if (error instanceof ResourceNotFoundException) return undefined;
          throw error;
        }
      }),
    create: (schema, tableName, signal) =>
      guarded(tableName, async () => {
        const { TimeToLive: _, ...creation } = schema;
        try {
          const request = { ...creation, TableName: tableName } as unknown as CreateTableCommandInput;
          await client.send(new CreateTableCommand(request), abort(signal));
        } catch (error) {
          // A killed run of the same import made it: what was wanted is there.
          if (!(error instanceof ResourceInUseException)) throw error;
        }
      }),
  };
}

function schemaOf(table: TableDescription, ttl: string | undefined, tags: Readonly<Record<string, string>>): TableSchema {
  const onDemand = table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST';
  const capacity = (of: TableDescription['ProvisionedThroughput']) =>
    onDemand || of === undefined
      ? {}
      : { ProvisionedThroughput: { ReadCapacityUnits: of.ReadCapacityUnits, WriteCapacityUnits: of.WriteCapacityUnits } };
  const indexOf = ({ IndexName, KeySchema, Projection }: { IndexName?: string; KeySchema?: unknown; Projection?: unknown }) => ({
    IndexName,
    KeySchema,
    Projection,
  });
  const global = (table.GlobalSecondaryIndexes ?? []).map((one) => ({
    ...indexOf(one as object),
    ...capacity(one.ProvisionedThroughput),
    ...(one.OnDemandThroughput === undefined ? {} : { OnDemandThroughput: one.OnDemandThroughput }),
  }));
  const local = (table.LocalSecondaryIndexes ?? []).map((one) => indexOf(one as object));
  const { SSEDescription: sse, TableClassSummary: tableClass, StreamSpecification: stream, OnDemandThroughput: most } = table;
  const schema = {
    TableName: table.TableName,
    AttributeDefinitions: table.AttributeDefinitions,
    KeySchema: table.KeySchema,
    BillingMode: onDemand ? 'PAY_PER_REQUEST' : 'PROVISIONED',
    ...capacity(table.ProvisionedThroughput),
    ...(most === undefined ? {} : { OnDemandThroughput: most }),
    ...(global.length === 0 ? {} : { GlobalSecondaryIndexes: global }),
    ...(local.length === 0 ? {} : { LocalSecondaryIndexes: local }),
    ...(stream?.StreamEnabled === true ? { StreamSpecification: stream } : {}),
    // The key itself is of one account and region: a table made elsewhere is given that account's own.
    ...(sse?.Status === 'ENABLED' ? { SSESpecification: { Enabled: true, SSEType: sse.SSEType } } : {}),
    ...(tableClass?.TableClass === undefined ? {} : { TableClass: tableClass.TableClass }),
    ...(table.DeletionProtectionEnabled === true ? { DeletionProtectionEnabled: true } : {}),
    ...(ttl === undefined ? {} : { TimeToLive: { AttributeName: ttl } }),
    // Tags of AWS's own cannot be set (Developer Guide, "Tagging restrictions").
    Tags: Object.entries(tags).flatMap(([Key, Value]) => (Key.startsWith('aws:') ? [] : [{ Key, Value }])),
  };
  return schema as unknown as TableSchema;
}

async function guarded<T>(table: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storeError(table, error);
  }
}
