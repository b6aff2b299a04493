import type { Purpose } from '../../tables/model/stack/config/access.ts';
import { metricNamespace } from '../../tables/model/stack/drift-metric.ts';
import { applicationRead, applicationWrite } from './application-grants.ts';
import { migrationRunner, seeder } from './runner-grants.ts';
import { allow, dynamodb, type Grants, scaling, tableArns, useOfKey } from './scope.ts';
import { bulkImporter, exporter, importer, restorer } from './transfer-grants.ts';

const nothing = () => [];

/** What `doctor` and `pitr status` look at, and the metric that says what was found; no item and no use of the key. */
const inspector: Grants = {
  description: 'Looks at tables, their tags and what scales them, and says what it found by a metric; sees no item',
  shared: ({ config }) => [
    // A metric is limited by its namespace, not by an ARN (Service Authorization Reference, "Amazon CloudWatch").
    ...allow('Metric', ['cloudwatch:PutMetricData'], ['*'], {
      StringEquals: { 'cloudwatch:namespace': metricNamespace(config) },
    }),
    // Lists, so of no table in particular (the same reference, "Amazon DynamoDB" and "AWS Application Auto Scaling").
    ...allow(
      'Lists',
      [...dynamodb('ListContributorInsights'), ...scaling('DescribeScalableTargets', 'DescribeScalingPolicies')],
      ['*'],
    ),
  ],
  ofTables: (scope, tables) => {
    const looks = ['DescribeTable', 'DescribeTimeToLive', 'DescribeContinuousBackups', 'ListTagsOfResource'];
    return allow('Tables', dynamodb(...looks), tableArns(scope, tables));
  },
};

/** UpdateTable drops indexes, too, and no condition tells the one from the other: nobody else has it on the stack's tables. */
const warmer: Grants = {
  description: 'Raises the warm throughput of tables; UpdateTable can do more than that, so give it to few',
  shared: nothing,
  ofTables: (scope, tables) => allow('Tables', dynamodb('DescribeTable', 'UpdateTable'), tableArns(scope, tables)),
};

/** What hears of changes: a function by its event source, or a program of its own. */
const streamReader: Grants = {
  description: 'Reads the streams of tables that have one',
  shared: (scope) => [
    // A list, so of no stream in particular (Service Authorization Reference, "Amazon DynamoDB").
    ...allow('Streams', dynamodb('ListStreams'), ['*']),
    ...useOfKey(scope, ['kms:Decrypt', 'kms:DescribeKey'], 'dynamodb'),
  ],
  ofTables: (scope, tables) =>
    allow('Records', dynamodb('DescribeStream', 'GetRecords', 'GetShardIterator'), tableArns(scope, tables, '/stream/*')),
};

const grants: Readonly<Record<Purpose, Grants>> = {
  'application-read': applicationRead,
  'application-write': applicationWrite,
  'migration-runner': migrationRunner,
  seeder,
  exporter,
  importer,
  'bulk-importer': bulkImporter,
  restorer,
  inspector,
  warmer,
  'stream-reader': streamReader,
};

export function grantsOf(purpose: Purpose): Grants {
  return grants[purpose];
}
