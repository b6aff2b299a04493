import {
  type ConsumedCapacity,
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  GetItemCommand,
  type GlobalSecondaryIndexDescription,
  type OnDemandThroughput,
  ResourceInUseException,
  ResourceNotFoundException,
  type TableDescription as SdkTable,
  TransactionCanceledException,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import type {
  IndexDescription,
  KeyElement,
  ProjectionRequest,
  Store,
  TableDescription,
  TableSettings,
  TransactRequest,
  UnitsPerSecond,
} from '../../core/store/store.ts';
import { wireOf } from '../wire/wire.ts';
import { isUnknownOperation, storeError } from './store-error.ts';

/**
 * The store over a real client. Every failure that a user can act on comes back as a TablewrightError. What tables are like is
 * asked for and changed through `control`, which may repeat by itself; items go through a client that does not.
 */
export function dynamoStore(client: DynamoDBClient, control: DynamoDBClient = client): Store {
  const wire = wireOf(client);
  const abort = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { abortSignal: signal });
  const guarded = async <T>(where: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw storeError(where, error);
    }
  };
  const describeTtl = async (tableName: string, signal: AbortSignal | undefined) => {
    try {
      return (await control.send(new DescribeTimeToLiveCommand({ TableName: tableName }), abort(signal))).TimeToLiveDescription;
    } catch (error) {
      // A compatible server may do without TTL; then no table has it.
      if (isUnknownOperation(error)) return undefined;
      throw error;
    }
  };
  /** DynamoDB refuses an index that is not there as it refuses a wrong expression; which it was, only the table tells. */
  const guardedIndex = <T>(
    { TableName, IndexName }: { readonly TableName: string; readonly IndexName?: string },
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> =>
    guarded(TableName, async () => {
      try {
        return await work();
      } catch (error) {
        if (IndexName === undefined || !(error instanceof Error) || error.name !== 'ValidationException') throw error;
        const found = await client.send(new DescribeTableCommand({ TableName }), abort(signal)).catch(() => undefined);
        const indexes = found?.Table?.GlobalSecondaryIndexes ?? [];
        if (found === undefined || indexes.some((index) => index.IndexName === IndexName)) throw error;
        throw new TablewrightError('INDEX_MISSING', `${TableName}: the index ${IndexName} does not exist`, {
          cause: error,
          next: "Run 'tablewright doctor' to see what the stack has; 'tablewright up' adds a local index, 'npx pulumi up' that of a stack.",
        });
      }
    });
  return {
    getItem: (request, signal) =>
      guarded(request.TableName, async () => {
        const answer = await client.send(new GetItemCommand({ ...request, ReturnConsumedCapacity: 'TOTAL' }), abort(signal));
        return { item: answer.Item as Item | undefined, units: unitsOf(answer.ConsumedCapacity) };
      }),
    query: (request, signal) =>
      guardedIndex(request, signal, async () => {
        const answer = await wire.call('Query', { ...request, ReturnConsumedCapacity: 'TOTAL' }, signal);
        return {
          items: (answer.Items ?? []) as Item[],
          next: answer.LastEvaluatedKey as Item | undefined,
          count: answer.Count ?? 0,
          scanned: answer.ScannedCount ?? 0,
          units: unitsOf(answer.ConsumedCapacity),
        };
      }),
    scan: (request, signal) =>
      guardedIndex(request, signal, async () => {
        // tablewright-allow-scan: the port that parity checks, patterns before their cut-over and transfers go through
        const answer = await wire.call('Scan', { ...request, ReturnConsumedCapacity: 'TOTAL' }, signal);
        return {
          items: (answer.Items ?? []) as Item[],
          next: answer.LastEvaluatedKey as Item | undefined,
          scanned: answer.ScannedCount ?? 0,
          units: unitsOf(answer.ConsumedCapacity),
        };
      }),
    batchGet: ({ TableName, ...rest }, signal) =>
      guarded(TableName, async () => {
        const answer = await wire.call(
          'BatchGetItem',
          { RequestItems: { [TableName]: rest }, ReturnConsumedCapacity: 'TOTAL' },
          signal,
        );
        return {
          items: (answer.Responses?.[TableName] ?? []) as Item[],
          unprocessed: (answer.UnprocessedKeys?.[TableName]?.Keys ?? []) as Item[],
          units: unitsOf(answer.ConsumedCapacity?.[0]),
        };
      }),
    transact: (request, signal) =>
      guarded(tablesIn(request), async () => {
        try {
          const { ConsumedCapacity = [] } = await wire.call(
            'TransactWriteItems',
            { ...request, ReturnConsumedCapacity: 'TOTAL' },
            signal,
          );
          const units = ConsumedCapacity.map(({ TableName = '', CapacityUnits = 0 }) => [TableName, CapacityUnits]);
          return units.length === 0 ? { done: true } : { done: true, units: Object.fromEntries(units) };
        } catch (error) {
          if (!(error instanceof TransactionCanceledException)) throw error;
          return { done: false, reasons: (error.CancellationReasons ?? []).map((reason) => reason.Code ?? 'None') };
        }
      }),
    describeTable: (tableName, signal) =>
      guarded(tableName, async () => {
        try {
          const { Table } = await control.send(new DescribeTableCommand({ TableName: tableName }), abort(signal));
          const ttl = await describeTtl(tableName, signal);
          return Table === undefined ? undefined : description(Table, ttl);
        } catch (error) {
          if (error instanceof ResourceNotFoundException) return undefined;
          throw error;
        }
      }),
    createTable: (request, signal) =>
      guarded(request.TableName, async () => {
        try {
          await control.send(new CreateTableCommand(request), abort(signal));
        } catch (error) {
          // Another process made it first: what was wanted is there.
          if (!(error instanceof ResourceInUseException)) throw error;
        }
      }),
    addIndex: (request, signal) =>
      guarded(request.TableName, async () => {
        await control.send(new UpdateTableCommand(request), abort(signal));
      }),
    enableTtl: (tableName, attribute, signal) =>
      guarded(tableName, async () => {
        const specification = { Enabled: true, AttributeName: attribute };
        await control.send(
          new UpdateTimeToLiveCommand({ TableName: tableName, TimeToLiveSpecification: specification }),
          abort(signal),
        );
      }),
  };
}

function tablesIn({ TransactItems }: TransactRequest): string {
  const names = TransactItems.flatMap((entry) => Object.values(entry).map(({ TableName }) => TableName));
  return [...new Set(names)].join(', ');
}

function unitsOf(consumed: ConsumedCapacity | undefined): number {
  return consumed?.CapacityUnits ?? 0;
}

function description(
  table: SdkTable,
  ttl: { readonly TimeToLiveStatus?: string | undefined; readonly AttributeName?: string | undefined } | undefined,
): TableDescription {
  const attributes = (table.AttributeDefinitions ?? []).map(({ AttributeName = '', AttributeType = '' }) => [
    AttributeName,
    AttributeType,
  ]);
  return {
    name: table.TableName ?? '',
    status: table.TableStatus ?? 'UNKNOWN',
    key: (table.KeySchema ?? []) as KeyElement[],
    attributes: Object.fromEntries(attributes),
    billing: table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST' ? 'PAY_PER_REQUEST' : 'PROVISIONED',
    capacity: {
      read: table.ProvisionedThroughput?.ReadCapacityUnits ?? 0,
      write: table.ProvisionedThroughput?.WriteCapacityUnits ?? 0,
    },
    encryption: table.SSEDescription?.Status === 'ENABLED' ? table.SSEDescription.SSEType : undefined,
    itemCount: table.ItemCount ?? 0,
    bytes: table.TableSizeBytes ?? 0,
    ttl: { status: ttl?.TimeToLiveStatus ?? 'DISABLED', attribute: ttl?.AttributeName },
    indexes: (table.GlobalSecondaryIndexes ?? []).map(indexDescription),
    settings: settingsOf(table),
  };
}

function settingsOf(table: SdkTable): TableSettings {
  return {
    localIndexes: (table.LocalSecondaryIndexes ?? []).map(({ IndexName = '' }) => IndexName),
    stream: table.StreamSpecification?.StreamEnabled ? table.StreamSpecification.StreamViewType : undefined,
    deletionProtection: table.DeletionProtectionEnabled ?? false,
    tableClass: table.TableClassSummary?.TableClass ?? 'STANDARD',
    maximum: maximumOf(table.OnDemandThroughput),
    keyArn: table.SSEDescription?.KMSMasterKeyArn,
    warm: warmOf(table.WarmThroughput),
    arn: table.TableArn,
    replicas: (table.Replicas ?? []).flatMap(({ RegionName }) => (RegionName === undefined ? [] : [RegionName])),
  };
}

/** DynamoDB says -1 where there is no maximum. */
function maximumOf(throughput: OnDemandThroughput | undefined): Partial<UnitsPerSecond> | undefined {
  const { MaxReadRequestUnits, MaxWriteRequestUnits } = throughput ?? {};
  const limit = (units: number | undefined) => (units === undefined || units < 0 ? undefined : units);
  const maximum = defined({ read: limit(MaxReadRequestUnits), write: limit(MaxWriteRequestUnits) });
  return Object.keys(maximum).length === 0 ? undefined : maximum;
}

function warmOf(
  warm: { readonly ReadUnitsPerSecond?: number | undefined; readonly WriteUnitsPerSecond?: number | undefined } | undefined,
): Partial<UnitsPerSecond> | undefined {
  return warm === undefined ? undefined : defined({ read: warm.ReadUnitsPerSecond, write: warm.WriteUnitsPerSecond });
}

function defined({
  read,
  write,
}: {
  readonly read?: number | undefined;
  readonly write?: number | undefined;
}): Partial<UnitsPerSecond> {
  return { ...(read === undefined ? {} : { read }), ...(write === undefined ? {} : { write }) };
}

function indexDescription(index: GlobalSecondaryIndexDescription): IndexDescription {
  return {
    name: index.IndexName ?? '',
    status: index.IndexStatus ?? 'UNKNOWN',
    key: (index.KeySchema ?? []) as KeyElement[],
    projection: (index.Projection ?? { ProjectionType: 'ALL' }) as ProjectionRequest,
    capacity: {
      read: index.ProvisionedThroughput?.ReadCapacityUnits ?? 0,
      write: index.ProvisionedThroughput?.WriteCapacityUnits ?? 0,
    },
    warm: warmOf(index.WarmThroughput),
    maximum: maximumOf(index.OnDemandThroughput),
  };
}
