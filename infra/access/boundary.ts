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
    // As AWS Backup's own policies have them, which ask KMS in its name and not through a service.
    allow('KeyFacts', ['kms:DescribeKey'], [anyArn(place, 'kms', 'key/*')]),
    allow('KeyGrants', ['kms:CreateGrant'], [anyArn(place, 'kms', 'key/*')], { Bool: { 'kms:GrantIsForAWSResource': 'true' } }),
    backups(config, place),
    boundaryOfRunner({ config, place }),
  ];
  return policyDocument(statements.flat());
}

/**
 * What the role of AWS Backup does beside reading the tables: tags what it made, and copies it where the stack's file says
 * (AWS Managed Policy Reference, "AWSBackupServiceRolePolicyForBackup"). A recovery point's ARN names no stack, so nothing else is
 * allowed on them: whoever could delete one could delete everybody's.
 */
function backups({ project, stack, backups: { copyTo } }: StackConfig, place: AwsPlace): readonly PolicyStatement[] {
  const vaults = [anyArn(place, 'backup', `backup-vault:${resourceName({ project, stack })}-*`)];
  const points = [anyArn(place, 'backup', 'recovery-point:*')];
  const into = copyTo === undefined ? vaults : [...vaults, copyTo.vaultArn];
  return [
    ...allow('Vaults', ['backup:CopyIntoBackupVault', 'backup:DescribeBackupVault'], into),
    ...allow('RecoveryPoints', ['backup:TagResource', ...(copyTo === undefined ? [] : ['backup:CopyFromBackupVault'])], points),
  ];
}
