import { ledger } from '../../tables/model/ledger/ledger.ts';
import { ledgerPartition } from '../../tables/model/ledger/ledger-keys.ts';
import { logGroupArn } from '../../tables/model/stack/aws-place.ts';
import { bulkPrefix } from '../../tables/model/stack/config/storage.ts';
import { importSuffix, restoreSuffix } from '../../tables/model/stack/made-table-names.ts';
import { onPartitions, writes } from './application-grants.ts';
import { keyUse } from './key-policy.ts';
import { byKey, looks, objectUse } from './runner-grants.ts';
import {
  allow,
  dynamodb,
  type Grants,
  grantForTables,
  indexArns,
  type Scope,
  tableArns,
  useOfBucket,
  useOfFolder,
  useOfKey,
} from './scope.ts';
import type { PolicyStatement } from './statement.ts';

/** A table that DynamoDB has made by itself is given what it lacks: TTL, recovery, tags, deletion protection. */
const settling = [
  'DescribeContinuousBackups',
  'DescribeTable',
  'DescribeTimeToLive',
  'ListTagsOfResource',
  'TagResource',
  'UpdateContinuousBackups',
  'UpdateTable',
  'UpdateTimeToLive',
] as const;

/** DynamoDB writes a restored table with the rights of the caller (Developer Guide, "Using IAM with DynamoDB backup and restore"). */
const filling = ['BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'] as const;

export const exporter: Grants = {
  description: 'Reads whole tables and writes them to the bucket of the stack',
  shared: (scope) => [
    // Cannot be limited to a table.
    ...allow('ListExports', dynamodb('ListExports'), ['*']),
    // DynamoDB writes a native export with the caller's rights and sets the objects' ACL (Developer Guide, "Requesting a table export").
    ...useOfBucket(scope, ...objectUse, 'PutObjectAcl'),
    // Where a masked export goes on is told by original keys, which may not lie beside it.
    ...allow(
      'MaskedExports',
      dynamodb('PutItem', 'DeleteItem'),
      tableArns(scope, [ledger]),
      onPartitions('StringLike', [ledgerPartition('exportSegment', { table: '*' })]),
    ),
    ...useOfKey(scope, keyUse, 'dynamodb', 's3'),
  ],
  ofTables: (scope, tables) => [
    ...allow(
      'Tables',
      dynamodb(...byKey, 'Scan', ...looks, 'ExportTableToPointInTime', 'ListTagsOfResource'),
      tableArns(scope, tables),
    ),
    ...allow('Indexes', dynamodb('Query'), indexArns(scope, tables)),
    ...allow('Exports', dynamodb('DescribeExport'), tableArns(scope, tables, '/export/*')),
  ],
};

export const importer: Grants = {
  description: 'Reads the bucket of the stack and writes to tables, or makes new ones by native import',
  shared: (scope) => [
    ...importLogs(scope),
    // It keeps its progress in the ledger and writes nothing beside the export.
    ...useOfBucket(scope, 'GetObject'),
    ...useOfKey(scope, keyUse, 'dynamodb', 's3'),
    ...grantForTables(scope),
  ],
  ofTables: (scope, tables) => [
    ...allow('Tables', dynamodb(...byKey, ...writes, ...looks), tableArns(scope, tables)),
    ...allow('Imported', dynamodb('ImportTable', ...settling), tableArns(scope, tables, importSuffix)),
    ...allow('Imports', dynamodb('DescribeImport'), tableArns(scope, tables, `${importSuffix}/import/*`)),
  ],
};

/** Beside an importer, which reads the bucket and the tables; with both in one policy, every import could change the bucket. */
export const bulkImporter: Grants = {
  description: 'With an importer: has DynamoDB put many items at once, from a copy in the bucket of the stack',
  shared: (scope) => [
    // A list of the account's operations, so of no table in particular.
    ...allow('BulkOperations', dynamodb('ListBulkOperations'), ['*']),
    // The input is staged there and taken away afterwards; DynamoDB writes its reports beside it with the caller's rights.
    ...useOfFolder(scope, bulkPrefix, 'AbortMultipartUpload', 'DeleteObject', 'PutObject'),
  ],
  ofTables: (scope, tables) => [
    ...allow('Tables', dynamodb('StartBulkPutItems'), tableArns(scope, tables)),
    // The form of an operation's ARN is not documented where it could be read; it lies under its table's as all of them do.
    ...allow('BulkPuts', dynamodb('CancelBulkOperation', 'DescribeBulkOperation'), tableArns(scope, tables, '/*')),
  ],
};

export const restorer: Grants = {
  description: 'Lists and deletes backups, and restores tables into new ones',
  shared: (scope) => [
    // Cannot be limited to a table.
    ...allow('ListBackups', dynamodb('ListBackups'), ['*']),
    ...useOfKey(scope, keyUse, 'dynamodb'),
    ...grantForTables(scope),
  ],
  ofTables: (scope, tables) => [
    ...allow('Sources', dynamodb('DescribeContinuousBackups', 'RestoreTableToPointInTime'), tableArns(scope, tables)),
    ...allow(
      'Backups',
      dynamodb('DeleteBackup', 'DescribeBackup', 'RestoreTableFromBackup'),
      tableArns(scope, tables, '/backup/*'),
    ),
    ...allow(
      'Restored',
      dynamodb('RestoreTableFromBackup', 'RestoreTableToPointInTime', ...settling, ...filling),
      tableArns(scope, tables, restoreSuffix),
    ),
  ],
};

/** DynamoDB logs an import with the caller's rights (Developer Guide, "Requesting a table import"). */
function importLogs({ place }: Scope): readonly PolicyStatement[] {
  const imports = logGroupArn(place, '/aws-dynamodb/imports');
  const actions = [
    'CreateLogGroup',
    'CreateLogStream',
    'DescribeLogStreams',
    'GetLogEvents',
    'PutLogEvents',
    'PutRetentionPolicy',
  ];
  return [
    ...allow(
      'ImportLogs',
      actions.map((action) => `logs:${action}`),
      [imports, `${imports}:*`],
    ),
    // A list, so of no group in particular (Service Authorization Reference, "Amazon CloudWatch Logs").
    ...allow('LogGroups', ['logs:DescribeLogGroups'], ['*']),
  ];
}
