import {
  type AwsPlace,
  alarmArn,
  anyArn,
  bucketArn,
  iamArn,
  logGroupArn,
  resourceName,
  servicePolicyArn,
  tableArn,
  topicArn,
} from '../../tables/model/stack/aws-place.ts';
import { exportBucketName, logBucketName } from '../../tables/model/stack/export-bucket-name.ts';
import { physicalName, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { allow } from './scope.ts';
import { type PolicyStatement, policyDocument } from './statement.ts';

/** What a deployment is about; each becomes a policy, as IAM limits how long one may be. */
export interface DeployPolicy {
  readonly id: string;
  readonly description: string;
  readonly document: string;
}

export function deployPolicies(
  config: StackConfig,
  place: AwsPlace,
  tables: readonly Table[],
  boundaryArn: string,
): readonly DeployPolicy[] {
  return [
    {
      id: 'deploy-tables',
      description: 'Makes and changes the tables of the stack',
      document: tablePolicy(config, place, tables),
    },
    {
      id: 'deploy-services',
      description: 'Makes and changes what stands around the tables',
      document: servicePolicy(config, place),
    },
    {
      id: 'deploy-access',
      description: 'Makes roles under the boundary, and policies',
      document: accessPolicy(config, place, boundaryArn),
    },
  ];
}

function tablePolicy(config: StackConfig, place: AwsPlace, tables: readonly Table[]): string {
  const arns = tables.flatMap((table) => {
    const arn = tableArn(place, physicalName(table, config));
    return [arn, `${arn}/index/*`];
  });
  return policyDocument([
    ...allow('Tables', ['dynamodb:*'], arns),
    // Neither can be limited further (Service Authorization Reference, "Application Auto Scaling").
    ...allow('Scaling', ['application-autoscaling:*'], [anyArn(place, 'application-autoscaling', 'scalable-target/*')], {
      StringEqualsIfExists: { 'application-autoscaling:service-namespace': 'dynamodb' },
    }),
  ]);
}

function servicePolicy(config: StackConfig, place: AwsPlace): string {
  const own = resourceName(config.stack);
  const buckets = [exportBucketName(config, place), logBucketName(config, place)].map((name) => bucketArn(place, name));
  const tagged = { 'aws:ResourceTag/Environment': config.environment ?? config.stack };
  const keys = [anyArn(place, 'kms', 'key/*')];
  return policyDocument([
    ...allow(
      'Buckets',
      ['s3:*'],
      buckets.flatMap((arn) => [arn, `${arn}/*`]),
    ),
    ...allow(
      'Alarms',
      ['cloudwatch:*'],
      [alarmArn(place, `${own}-*`), `arn:${place.partition}:cloudwatch::${place.account}:dashboard/${own}-*`],
    ),
    ...allow('Topics', ['sns:*'], [topicArn(place, `${own}-*`)]),
    ...allow(
      'Backups',
      ['backup:*'],
      [anyArn(place, 'backup', `backup-vault:${own}-*`), anyArn(place, 'backup', 'backup-plan:*')],
    ),
    ...allow('VaultKeys', ['backup-storage:MountCapsule'], ['*']),
    ...allow('Functions', ['lambda:*'], [anyArn(place, 'lambda', `function:${own}-*`)]),
    ...allow('Schedules', ['scheduler:*'], [anyArn(place, 'scheduler', `schedule/default/${own}-*`)]),
    ...allow('Logs', ['logs:*'], [logGroupArn(place, `/aws/lambda/${own}-*`)]),
    // A key gets its ARN when it is made: it is known by the tag that the stack puts on it.
    ...allow('NewKey', ['kms:CreateKey', 'kms:TagResource'], ['*'], {
      StringEquals: { 'aws:RequestTag/Environment': config.environment ?? config.stack, 'aws:RequestTag/Service': 'tablewright' },
    }),
    ...allow('Key', ['kms:*'], keys, { StringEquals: tagged }),
    ...allow('Alias', ['kms:CreateAlias', 'kms:DeleteAlias', 'kms:UpdateAlias'], [anyArn(place, 'kms', `alias/${own}`)]),
    ...allow('Looks', ['kms:ListAliases', 'logs:DescribeLogGroups', 's3:ListAllMyBuckets', 'sts:GetCallerIdentity'], ['*']),
  ]);
}

/**
 * Roles are made, and policies given to them, only under the boundary; the boundary, this role and its policies it cannot touch.
 * So whoever has the pipeline cannot get further than the boundary by a role that he makes.
 */
function accessPolicy({ stack }: StackConfig, place: AwsPlace, boundaryArn: string): string {
  const own = resourceName(stack);
  const roles = iamArn(place, `role/${own}-*`);
  const policies = iamArn(place, `policy/${own}-*`);
  const guarded = [boundaryArn, iamArn(place, `policy/${own}-deploy*`)];
  const bounded = { StringEquals: { 'iam:PermissionsBoundary': boundaryArn } };
  const given = {
    ...bounded,
    ArnLike: { 'iam:PolicyARN': [policies, servicePolicyArn(place, 'AWSBackupServiceRolePolicy*')] },
  };
  const deny = (Sid: string, Action: readonly string[], Resource: readonly string[]): PolicyStatement => {
    return { Sid, Effect: 'Deny', Action, Resource };
  };
  return policyDocument([
    ...allow(
      'NewRoles',
      ['iam:CreateRole', 'iam:PutRolePermissionsBoundary', 'iam:PutRolePolicy', 'iam:DeleteRolePolicy'],
      [roles],
      bounded,
    ),
    ...allow('Attach', ['iam:AttachRolePolicy', 'iam:DetachRolePolicy'], [roles], given),
    ...allow(
      'Roles',
      ['iam:DeleteRole', 'iam:Get*', 'iam:List*', 'iam:TagRole', 'iam:UntagRole', 'iam:UpdateAssumeRolePolicy', 'iam:UpdateRole'],
      [roles],
    ),
    ...allow(
      'Policies',
      [
        'iam:CreatePolicy',
        'iam:CreatePolicyVersion',
        'iam:DeletePolicy',
        'iam:DeletePolicyVersion',
        'iam:Get*',
        'iam:List*',
        'iam:TagPolicy',
        'iam:UntagPolicy',
      ],
      [policies],
    ),
    ...allow('Pass', ['iam:PassRole'], [roles], {
      StringEquals: {
        'iam:PassedToService': ['backup', 'lambda', 'scheduler'].map((service) => `${service}.${place.dnsSuffix}`),
      },
    }),
    deny(
      'NotTheBoundary',
      ['iam:CreatePolicyVersion', 'iam:DeletePolicy', 'iam:DeletePolicyVersion', 'iam:SetDefaultPolicyVersion'],
      guarded,
    ),
    deny('AlwaysUnderIt', ['iam:DeleteRolePermissionsBoundary'], ['*']),
    deny(
      'NotItself',
      [
        'iam:AttachRolePolicy',
        'iam:DeleteRole',
        'iam:DeleteRolePolicy',
        'iam:DetachRolePolicy',
        'iam:PassRole',
        'iam:PutRolePermissionsBoundary',
        'iam:PutRolePolicy',
        'iam:UpdateAssumeRolePolicy',
        'iam:UpdateRole',
      ],
      [iamArn(place, `role/${own}-deploy`)],
    ),
  ]);
}
