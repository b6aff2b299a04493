import type { DeployedAccess } from './access.ts';
import { type Ask, ask, type Json, nameOf, tableArn } from './ask.ts';
import { keyAsks, newTableUses, readUses, writeUses } from './key-asks.ts';
import { statementTarget } from './partiql.ts';
import { bulkAsks, exportAsks, importAsks } from './transfer-asks.ts';

/** DynamoDB fills a restored table with the caller's rights (Developer Guide, "Using IAM with DynamoDB backup and restore"). */
const restoreFills = ['BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'] as const;

/** On a table as a whole, under the action of the same name (Service Authorization Reference, "Amazon DynamoDB"). */
const onTable = new Set([
  'CreateBackup',
  'DeleteTable',
  'DescribeContinuousBackups',
  'DescribeKinesisStreamingDestination',
  'DescribeTable',
  'DescribeTimeToLive',
  'UpdateContinuousBackups',
  'UpdateTable',
  'UpdateTimeToLive',
]);
/** On the ARN that the request gives, in this field. */
const onArn: Readonly<Record<string, string>> = {
  DeleteBackup: 'BackupArn',
  DescribeBackup: 'BackupArn',
  DescribeExport: 'ExportArn',
  DescribeImport: 'ImportArn',
  ListTagsOfResource: 'ResourceArn',
  TagResource: 'ResourceArn',
  UntagResource: 'ResourceArn',
  // Newer than the evaluator's data, see newer-actions.ts.
  CancelBulkOperation: 'BulkOperationArn',
  DescribeBulkOperation: 'BulkOperationArn',
};
/** On nothing in particular: AWS cannot limit these to a table. */
const onEverything = new Set([
  'ListBackups',
  'ListBulkOperations',
  'ListContributorInsights',
  'ListExports',
  'ListImports',
  'ListTables',
  'DescribeLimits',
  'DescribeEndpoints',
]);

/** What a DynamoDB request asks of IAM, KMS behind it included. A request that is not known here is refused, not let through. */
export function dynamodbAsks(access: DeployedAccess, operation: string, input: Json): readonly Ask[] {
  const own = (resource: string) => [ask(`dynamodb:${operation}`, resource)];
  if (onTable.has(operation)) return own(tableArn(access, input.TableName));
  if (onEverything.has(operation)) return own('*');
  const field = onArn[operation];
  if (field !== undefined) return own(String(input[field]));
  const asks = requests[operation];
  if (asks === undefined) throw new Error(`the front does not know how DynamoDB authorises ${operation}`);
  return asks(access, input);
}

type Asks = (access: DeployedAccess, input: Json) => readonly Ask[];

const requests: Readonly<Record<string, Asks>> = {
  GetItem: (access, input) => [item(access, 'GetItem', input, input.Key), ...keyAsks(access, 'dynamodb', ...readUses)],
  PutItem: (access, input) => [item(access, 'PutItem', input, input.Item), ...written(access)],
  UpdateItem: (access, input) => [item(access, 'UpdateItem', input, input.Key), ...written(access)],
  DeleteItem: (access, input) => [item(access, 'DeleteItem', input, input.Key), ...written(access)],
  Query: (access, input) => [
    ask('dynamodb:Query', targetArn(access, input), leading(queriedKey(access, input))),
    ...keyAsks(access, 'dynamodb', ...readUses),
  ],
  Scan: (access, input) => [ask('dynamodb:Scan', targetArn(access, input)), ...keyAsks(access, 'dynamodb', ...readUses)],
  BatchGetItem: (access, { RequestItems }) => [
    ...Object.entries(RequestItems as Readonly<Record<string, { readonly Keys: readonly Json[] }>>).map(([TableName, { Keys }]) =>
      ask('dynamodb:BatchGetItem', tableArn(access, TableName), leading(hashes(access, TableName, Keys))),
    ),
    ...keyAsks(access, 'dynamodb', ...readUses),
  ],
  BatchWriteItem: (access, { RequestItems }) => [
    ...Object.entries(RequestItems as Readonly<Record<string, readonly WriteRequest[]>>).map(([TableName, writes]) => {
      const keys = writes.map(({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key ?? {});
      return ask('dynamodb:BatchWriteItem', tableArn(access, TableName), leading(hashes(access, TableName, keys)));
    }),
    ...written(access),
  ],
  TransactWriteItems: (access, { TransactItems }) => [
    ...(TransactItems as readonly TransactItem[]).map((entry) => transacted(access, 'TransactWriteItems', entry)),
    ...written(access),
  ],
  TransactGetItems: (access, { TransactItems }) => [
    ...(TransactItems as readonly TransactItem[]).map((entry) => transacted(access, 'TransactGetItems', entry)),
    ...keyAsks(access, 'dynamodb', ...readUses),
  ],
  ExecuteStatement: (access, input) => statements(access, [input]),
  BatchExecuteStatement: (access, { Statements }) => statements(access, Statements as readonly Json[]),
  ExecuteTransaction: (access, { TransactStatements }) => statements(access, TransactStatements as readonly Json[]),
  CreateTable: (access, input) => [
    ask('dynamodb:CreateTable', tableArn(access, input.TableName)),
    ...(input.Tags === undefined ? [] : [ask('dynamodb:TagResource', tableArn(access, input.TableName))]),
    ...keyAsks(access, 'dynamodb', ...newTableUses),
  ],
  ExportTableToPointInTime: exportAsks,
  ImportTable: importAsks,
  RestoreTableFromBackup: (access, { BackupArn, TargetTableName }) => [
    ask('dynamodb:RestoreTableFromBackup', String(BackupArn)),
    ...restored(access, 'RestoreTableFromBackup', TargetTableName),
  ],
  RestoreTableToPointInTime: (access, { SourceTableName, TargetTableName }) => [
    ask('dynamodb:RestoreTableToPointInTime', tableArn(access, SourceTableName)),
    ...restored(access, 'RestoreTableToPointInTime', TargetTableName),
  ],
  StartBulkPutItems: bulkAsks,
};

interface WriteRequest {
  readonly PutRequest?: { readonly Item: Json };
  readonly DeleteRequest?: { readonly Key: Json };
}

type TransactItem = Readonly<Partial<Record<'Put' | 'Update' | 'Delete' | 'ConditionCheck' | 'Get', Json>>>;

const ofTransaction = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
} as const;

/** Each item of a transaction is asked for as if it came alone (Developer Guide, "Using IAM with DynamoDB transactions"). */
function transacted(access: DeployedAccess, operation: string, entry: TransactItem): Ask {
  const [[kind, input]] = Object.entries(entry) as [[keyof typeof ofTransaction, Json]];
  const asked = item(access, ofTransaction[kind], input, input.Item ?? input.Key);
  // A condition check has no enclosing operation to tell: it occurs in transactions only.
  return kind === 'ConditionCheck'
    ? asked
    : { ...asked, context: { ...asked.context, 'dynamodb:EnclosingOperation': operation } };
}

function statements(access: DeployedAccess, given: readonly Json[]): readonly Ask[] {
  const targets = given.map(({ Statement }) => statementTarget(String(Statement)));
  const reads = targets.every(({ action }) => action === 'PartiQLSelect');
  return [
    ...targets.map(({ action, table, index }) =>
      ask(`dynamodb:${action}`, index === undefined ? tableArn(access, table) : `${tableArn(access, table)}/index/${index}`),
    ),
    ...keyAsks(access, 'dynamodb', ...(reads ? readUses : writeUses)),
  ];
}

function written(access: DeployedAccess): readonly Ask[] {
  return keyAsks(access, 'dynamodb', ...writeUses);
}

function restored(access: DeployedAccess, operation: string, target: unknown): readonly Ask[] {
  const arn = tableArn(access, target);
  return [
    ...[operation, ...restoreFills].map((action) => ask(`dynamodb:${action}`, arn)),
    ...keyAsks(access, 'dynamodb', ...newTableUses),
  ];
}

function item(access: DeployedAccess, action: string, { TableName }: Json, key: unknown): Ask {
  return ask(`dynamodb:${action}`, tableArn(access, TableName), leading(hashes(access, TableName, [key as Json])));
}

function leading(keys: readonly string[]): Ask['context'] {
  return keys.length === 0 ? {} : { 'dynamodb:LeadingKeys': [...new Set(keys)].toSorted() };
}

/** The partition keys of items or keys; none for a table that the stack did not register. */
function hashes({ tables }: DeployedAccess, table: unknown, keys: readonly Json[]): readonly string[] {
  const hash = tables.get(nameOf(table))?.hashes.get('');
  return hash === undefined ? [] : keys.map((key) => scalar(key[hash]));
}

/** The value that a Query's key condition gives to the partition key. */
function queriedKey({ tables }: DeployedAccess, input: Json): readonly string[] {
  const hash = tables.get(nameOf(input.TableName))?.hashes.get(String(input.IndexName ?? ''));
  if (hash === undefined) return [];
  const names = (input.ExpressionAttributeNames ?? {}) as Readonly<Record<string, string>>;
  const values = (input.ExpressionAttributeValues ?? {}) as Json;
  for (const [, name = '', value = ''] of String(input.KeyConditionExpression).matchAll(/([#\w-]+)\s*=\s*(:\w+)/g)) {
    if ((names[name] ?? name) === hash) return [scalar(values[value])];
  }
  throw new Error(`the front finds no partition key in ${String(input.KeyConditionExpression)}`);
}

function scalar(value: unknown): string {
  return String(Object.values(value as Json)[0]);
}

function targetArn(access: DeployedAccess, { TableName, IndexName }: Json): string {
  const arn = tableArn(access, TableName);
  return IndexName === undefined ? arn : `${arn}/index/${String(IndexName)}`;
}
