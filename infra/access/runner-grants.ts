import { useOfRunner } from '../runner/runner-grants.ts';
import { writes } from './application-grants.ts';
import { keyUse } from './key-policy.ts';
import { alarmArns, allow, dynamodb, type Grants, indexArns, tableArns, useOfBucket, useOfKey } from './scope.ts';

export const byKey = ['GetItem', 'BatchGetItem', 'Query', 'DescribeTable'] as const;
/** BatchExecuteStatement asks for these instead of the plain ones (Developer Guide, "IAM policies for PartiQL"). */
const partiQl = ['PartiQLSelect', 'PartiQLInsert', 'PartiQLUpdate', 'PartiQLDelete'] as const;
/** The command line looks at a table before it works on it. */
export const looks = ['DescribeTimeToLive', 'DescribeContinuousBackups'] as const;

/** What objects of the bucket need of those who read and write there by themselves. */
export const objectUse = ['AbortMultipartUpload', 'DeleteObject', 'GetObject', 'ListMultipartUploadParts', 'PutObject'] as const;

/** A plan says who hears of a table's changes. */
const listens = ['DescribeKinesisStreamingDestination'] as const;

export const migrationRunner: Grants = {
  description: 'Reads and rewrites items of every table and keeps the ledger',
  shared: (scope) => [
    // A run holds still while an alarm of the stack rings.
    ...allow('Alarms', ['cloudwatch:DescribeAlarms'], alarmArns(scope)),
    // How far a new index is; CloudWatch cannot limit it (Service Authorization Reference, "Amazon CloudWatch").
    ...allow('IndexProgress', ['cloudwatch:GetMetricStatistics'], ['*']),
    // Who listens to a table's stream; Lambda cannot limit the list (Service Authorization Reference, "AWS Lambda").
    ...allow('Triggers', ['lambda:ListEventSourceMappings'], ['*']),
    // Steps of migrations export tables and import them again.
    ...useOfBucket(scope, ...objectUse),
    ...useOfKey(scope, keyUse, 'dynamodb', 's3'),
    ...useOfRunner(scope),
  ],
  ofTables: (scope, tables) => [
    ...allow(
      'Tables',
      dynamodb(...byKey, 'Scan', ...writes, ...partiQl, ...looks, ...listens, 'CreateBackup'),
      tableArns(scope, tables),
    ),
    ...allow('Indexes', dynamodb('Query', 'Scan', 'PartiQLSelect'), indexArns(scope, tables)),
    ...allow('Backups', dynamodb('DescribeBackup'), tableArns(scope, tables, '/backup/*')),
  ],
};

export const seeder: Grants = {
  description: 'Fills tables with fixtures',
  shared: (scope) => [...useOfKey(scope, keyUse, 'dynamodb')],
  ofTables: (scope, tables) => [
    ...allow('Tables', dynamodb(...byKey, ...writes, ...looks), tableArns(scope, tables)),
    ...allow('Indexes', dynamodb('Query'), indexArns(scope, tables)),
  ],
};
