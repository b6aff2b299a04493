import { TablewrightError } from '../../tables/model/error.ts';
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
import { physicalName, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { boundaryOfRunner } from '../runner/runner-grants.ts';
import { allow, dynamodb, scaling } from './scope.ts';
import { longestDocument } from './split-policy.ts';
import { type PolicyStatement, policyDocument } from './statement.ts';

/** Of no table in particular (Service Authorization Reference, "Amazon DynamoDB"). */
const lists = ['ListBackups', 'ListBulkOperations', 'ListContributorInsights', 'ListExports', 'ListStreams', 'ListTables'];

/** What an import and a restore end the names of their tables with, `-imported` and `-restored`, in as many characters. */
const madeSuffix = '-??????ed*';

/** A role has one boundary, so unlike other policies it cannot be split: one that IAM would refuse is refused before anything is made. */
export function checkBoundary(config: StackConfig, place: AwsPlace, tables: readonly Table[]): void {
  if (config.ci === undefined || config.ci.deploy.length === 0) return;
  const { length } = boundaryDocument(config, place, tables);
  if (length <= longestDocument) return;
  throw new TablewrightError('BAD_CONFIG', `Stack ${config.stack} has more tables than the boundary of its roles can name`, {
    problems: [
      `tablewright:ci.deploy: expected a boundary of at most ${longestDocument} characters, found ${length} for ${tables.length} tables`,
    ],
    next: 'Leave systems out of this stack (tablewright:systems), shorten its name or those of its tables, or deploy it without ci.deploy.',
  });
}

/**
 * The most that any role of the stack may ever do, whatever policies it is given: the data of this stack's tables, its bucket,
 * its key through DynamoDB and S3, its logs, metric and functions. No IAM, so nobody under it can reach further.
 */
export function boundaryDocument(config: StackConfig, place: AwsPlace, tables: readonly Table[]): string {
  const own = resourceName(config);
  const bucket = bucketArn(place, exportBucketName(config, place));
  // A table, what hangs on it (indexes, streams, backups, exports), and what an import or a restore makes of it. A role has one boundary
  // and IAM limits its length, so the region is said once for all of them.
  const arns = tables.flatMap((table) => {
    const arn = tableArn({ ...place, region: '*' }, physicalName(table, config));
    return [arn, `${arn}/*`, `${arn}${madeSuffix}`];
  });
  const through = ['dynamodb', 's3', 'backup'].map((service) => viaService(place, service));
  const statements: readonly (readonly PolicyStatement[])[] = [
    allow('Tables', ['dynamodb:*'], arns, { StringEquals: { 'aws:RequestedRegion': place.region } }),
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
