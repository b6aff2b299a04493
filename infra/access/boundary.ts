import {
  type AwsPlace,
  alarmArn,
  anyArn,
  bucketArn,
  logGroupArn,
  resourceName,
  tableArn,
  viaService,
} from '../../tables/model/stack/aws-place.ts';
import { exportBucketName } from '../../tables/model/stack/export-bucket-name.ts';
import { importSuffix, restoreSuffix } from '../../tables/model/stack/made-table-names.ts';
import { physicalName, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { boundaryOfRunner } from '../runner/runner-grants.ts';
import { allow, dynamodb, scaling } from './scope.ts';
import { type PolicyStatement, policyDocument } from './statement.ts';

/** Of no table in particular (Service Authorization Reference, "Amazon DynamoDB"). */
const lists = ['ListBackups', 'ListBulkOperations', 'ListContributorInsights', 'ListExports', 'ListStreams', 'ListTables'];

/**
 * The most that any role of the stack may ever do, whatever policies it is given: the data of this stack's tables, its bucket,
 * its key through DynamoDB and S3, its logs, metric and functions. No IAM, so nobody under it can reach further.
 */
export function boundaryDocument(config: StackConfig, place: AwsPlace, tables: readonly Table[]): string {
  const own = resourceName(config);
  const bucket = bucketArn(place, exportBucketName(config, place));
  // A table, what hangs on it (indexes, streams, backups, exports), and what an import or a restore makes of it.
  const arns = tables.flatMap((table) => {
    const arn = tableArn(place, physicalName(table, config));
    return [arn, `${arn}/*`, `${arn}${importSuffix}*`, `${arn}${restoreSuffix}*`];
  });
  const through = ['dynamodb', 's3', 'backup'].map((service) => viaService(place, service));
  const statements: readonly (readonly PolicyStatement[])[] = [
    allow('Tables', ['dynamodb:*'], arns),
    allow('Lists', [...dynamodb(...lists), ...scaling('DescribeScalableTargets', 'DescribeScalingPolicies')], ['*']),
    allow('Bucket', ['s3:*'], [bucket, `${bucket}/*`]),
    allow('Key', ['kms:*'], [anyArn(place, 'kms', 'key/*')], { StringEquals: { 'kms:ViaService': through } }),
    allow('Logs', ['logs:*'], [logGroupArn(place, `/aws/lambda/${own}-*`), logGroupArn(place, '/aws-dynamodb/imports*')]),
    allow(
      'LogGroups',
      ['logs:DescribeLogGroups', 'lambda:ListEventSourceMappings', 'cloudwatch:PutMetricData', 'cloudwatch:GetMetricStatistics'],
      ['*'],
    ),
    allow('Alarms', ['cloudwatch:DescribeAlarms'], [alarmArn(place, `${own}-*`)]),
    allow('Functions', ['lambda:InvokeFunction'], [anyArn(place, 'lambda', `function:${own}-*`)]),
    boundaryOfRunner({ config, place }),
    allow(
      'Backups',
      ['backup:*'],
      [anyArn(place, 'backup', `backup-vault:${own}-*`), anyArn(place, 'backup', 'recovery-point:*')],
    ),
  ];
  return policyDocument(statements.flat());
}
