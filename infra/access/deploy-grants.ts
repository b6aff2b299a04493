import {
  type AwsPlace,
  alarmArn,
  anyArn,
  bucketArn,
  iamArn,
  logGroupArn,
  resourceName,
  servicePolicyArn,
  topicArn,
  viaService,
} from '../../tables/model/stack/aws-place.ts';
import { jobs } from '../../tables/model/stack/config/schedules.ts';
import { exportBucketName, logBucketName } from '../../tables/model/stack/export-bucket-name.ts';
import { keyAlias } from '../../tables/model/stack/key-alias.ts';
import { physicalName, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import { stackTags } from '../../tables/model/stack/tags.ts';
import type { Table } from '../../tables/model/table.ts';
import { backupsName } from '../backup-plan.ts';
import { deployOfRunner } from '../runner/runner-grants.ts';
import { runnerNames } from '../runner/runner-names.ts';
import { functionRole, scheduleRole } from '../schedule/job-args.ts';
import { administration, keyUse } from './key-policy.ts';
import { allow, dynamodb, type Grants, scaling, tableArns } from './scope.ts';
import { splitPolicy } from './split-policy.ts';
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
    ...tablePolicies(config, place, tables),
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

/** Of tables, never of items: a pipeline that deploys reads no data. */
const tableActions = [
  'CreateTable',
  'DeleteTable',
  'DescribeContinuousBackups',
  'DescribeContributorInsights',
  'DescribeTable',
  'DescribeTimeToLive',
  'ListTagsOfResource',
  'TagResource',
  'UntagResource',
  'UpdateContinuousBackups',
  'UpdateContributorInsights',
  'UpdateTable',
  'UpdateTimeToLive',
] as const;

const scalingActions = [
  'DeleteScalingPolicy',
  'DeregisterScalableTarget',
  'ListTagsForResource',
  'PutScalingPolicy',
  'RegisterScalableTarget',
  'TagResource',
  'UntagResource',
] as const;

/** Their names end the same in every partition (IAM User Guide, "AWS services that work with IAM"). */
const linkedServices = ['contributorinsights.dynamodb.amazonaws.com', 'dynamodb.application-autoscaling.amazonaws.com'];

/** Of buckets, never of what lies in them; a bucket that may be destroyed takes its objects with it. */
const bucketActions = [
  's3:CreateBucket',
  's3:DeleteBucket',
  's3:DeleteBucketPolicy',
  's3:GetAccelerateConfiguration',
  's3:GetBucket*',
  's3:GetEncryptionConfiguration',
  's3:GetLifecycleConfiguration',
  's3:GetReplicationConfiguration',
  's3:ListBucket',
  's3:ListBucketVersions',
  // How the provider reads and writes tags since S3 takes them for every resource (terraform-provider-aws 6.23).
  's3:ListTagsForResource',
  's3:PutBucket*',
  's3:PutEncryptionConfiguration',
  's3:PutLifecycleConfiguration',
  's3:TagResource',
  's3:UntagResource',
] as const;

/** Of tables and what scales them; split between the tables where IAM would find it too long. */
const tableGrants: Grants = {
  description: 'Makes and changes the tables of the stack',
  shared: ({ config, place }) => [
    // A target's ARN does not name its table; what is looked at has none (Service Authorization Reference, "AWS Application Auto Scaling").
    // One that was made by hand has no tag until it is adopted; those of other stacks have theirs.
    ...allow('Scaling', scaling(...scalingActions), [anyArn(place, 'application-autoscaling', 'scalable-target/*')], {
      StringEqualsIfExists: {
        'application-autoscaling:service-namespace': 'dynamodb',
        'aws:ResourceTag/Environment': stackTags(config).Environment ?? '',
      },
    }),
    ...allow('Scaled', scaling('DescribeScalableTargets', 'DescribeScalingPolicies'), ['*']),
    // Once in an account: the roles by which AWS scales tables and counts their keys.
    ...allow(
      'ServiceRoles',
      ['iam:CreateServiceLinkedRole'],
      linkedServices.map((service) => iamArn(place, `role/aws-service-role/${service}/*`)),
      { StringEquals: { 'iam:AWSServiceName': linkedServices } },
    ),
  ],
  ofTables: (scope, tables) => [
    ...allow('Tables', dynamodb(...tableActions), [...tableArns(scope, tables), ...tableArns(scope, tables, '/index/*')]),
    // A policy that tracks a target has alarms, made with the caller's rights (Application Auto Scaling User Guide, "Identity-based policies").
    ...allow(
      'ScalingAlarms',
      ['cloudwatch:DeleteAlarms', 'cloudwatch:DescribeAlarms', 'cloudwatch:PutMetricAlarm'],
      tables.map((table) => alarmArn(scope.place, `TargetTracking-table/${physicalName(table, scope.config)}*`)),
    ),
  ],
};

/** The first part keeps the name, so that a policy that has to be split stays the resource that it was. */
function tablePolicies(config: StackConfig, place: AwsPlace, tables: readonly Table[]): readonly DeployPolicy[] {
  // It does not speak of the key.
  const scope = { config, place, keyArn: undefined };
  const { description } = tableGrants;
  return splitPolicy(tableGrants, scope, tables).parts.map(({ document }, at) => ({
    id: at === 0 ? 'deploy-tables' : `deploy-tables-part-${at + 1}`,
    description,
    document: document(scope),
  }));
}

function servicePolicy(config: StackConfig, place: AwsPlace): string {
  const own = resourceName(config);
  const buckets = [exportBucketName(config, place), logBucketName(config, place)].map((name) => bucketArn(place, name));
  const keys = [anyArn(place, 'kms', 'key/*')];
  // Its alias is the stack's alone; a tag is not, and whoever may set tags could make a stranger's key his own.
  const ours = { 'ForAnyValue:StringEquals': { 'kms:ResourceAliases': [keyAlias(config)] } };
  const through = ['dynamodb', 's3', 'backup', 'sns'].map((service) => viaService(place, service));
  return policyDocument([
    ...allow('Buckets', bucketActions, buckets),
    ...(config.protect
      ? []
      : allow(
          'Emptied',
          ['s3:DeleteObject', 's3:DeleteObjectVersion'],
          buckets.map((arn) => `${arn}/*`),
        )),
    ...allow(
      'Alarms',
      ['cloudwatch:*'],
      [alarmArn(place, `${own}-*`), anyArn({ ...place, region: '' }, 'cloudwatch', `dashboard/${own}-*`)],
      // An alarm can also stop machines and call functions, whoever they belong to.
      { 'ForAllValues:StringLike': { 'cloudwatch:AlarmActions': [topicArn(place, `${own}-*`)] } },
    ),
    ...allow('Topics', ['sns:*'], [topicArn(place, `${own}-*`)]),
    ...allow('Vaults', ['backup:*'], [anyArn(place, 'backup', `backup-vault:${own}-*`)]),
    ...backupPlans(config, place),
    ...allow('VaultKeys', ['backup-storage:MountCapsule'], ['*']),
    ...allow('Functions', ['lambda:*'], [anyArn(place, 'lambda', `function:${own}-*`)]),
    ...allow('Schedules', ['scheduler:*'], [anyArn(place, 'scheduler', `schedule/default/${own}-*`)]),
    ...allow('Logs', ['logs:*'], [logGroupArn(place, `/aws/lambda/${own}-*`)]),
    ...deployOfRunner({ config, place }),
    // The first deployment makes the key, and that is an administrator's.
    ...allow('Key', administration, keys, ours),
    // What is encrypted with it is made through the services that hold the data (DynamoDB Developer Guide, "Encryption at rest").
    ...allow('KeyUse', [...keyUse, 'kms:CreateGrant', 'kms:RetireGrant'], keys, {
      ...ours,
      StringEquals: { 'kms:ViaService': through },
    }),
    ...allow('Looks', ['kms:ListAliases', 'logs:DescribeLogGroups', 's3:ListAllMyBuckets', 'sts:GetCallerIdentity'], ['*']),
  ]);
}

/** AWS chooses the ARN of a plan, so it is known by its tags; one without tags is somebody else's. */
function backupPlans(config: StackConfig, place: AwsPlace): readonly PolicyStatement[] {
  const plans = [anyArn(place, 'backup', 'backup-plan:*')];
  const { Environment = '', Service = '' } = stackTags(config);
  const asked = { 'aws:RequestTag/Environment': Environment, 'aws:RequestTag/Service': Service };
  const held = { 'aws:ResourceTag/Environment': Environment, 'aws:ResourceTag/Service': Service };
  return [
    ...allow('NewPlans', ['backup:CreateBackupPlan'], plans, { StringEquals: asked }),
    ...allow('Plans', ['backup:*'], plans, { StringEquals: held }),
  ];
}

/** Roles that AWS takes for the stack: to back up, to run a function, to call one. All that there can be, as this role cannot change itself. */
function passedRoles(config: StackConfig): readonly string[] {
  const { workerRole, machineRole } = runnerNames(config);
  return [
    backupsName(config),
    ...jobs.flatMap((job) => [functionRole(config, job), scheduleRole(config, job)]),
    ...(config.runner.enabled ? [workerRole, machineRole] : []),
  ];
}

/**
 * Roles are made, and policies given to them, only under the boundary; the boundary, this role and its policies it cannot touch.
 * So whoever has the pipeline cannot get further than the boundary by a role that he makes.
 */
function accessPolicy(config: StackConfig, place: AwsPlace, boundaryArn: string): string {
  const { project, stack, environment } = config;
  const own = resourceName(config);
  const roles = iamArn(place, `role/${own}-*`);
  const policies = iamArn(place, `policy/${own}-*`);
  const passed = passedRoles(config).map((name) => iamArn(place, `role/${name}`));
  // Of every stack: the names of one may begin as those of another (`prod`, `prod-eu`), and these open all doors of theirs.
  const guarded = ['boundary', 'deploy*'].map((part) => iamArn(place, `policy/${project}-*-${part}`));
  const tag = { 'aws:ResourceTag/Environment': environment ?? stack };
  const ofStack = { StringEquals: tag };
  // What is being made has no tag yet.
  const newOrOfStack = { StringEqualsIfExists: tag };
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
    // Whoever changes the trust of a role can take it: only of those that the boundary holds (Service Authorization Reference, "AWS IAM").
    ...allow('Trust', ['iam:UpdateAssumeRolePolicy', 'iam:DeleteRole'], [roles], {
      StringEquals: { ...bounded.StringEquals, ...tag },
    }),
    ...allow('Roles', ['iam:UntagRole', 'iam:UpdateRole'], [roles], ofStack),
    ...allow('Tags', ['iam:TagRole', 'iam:TagPolicy', 'iam:CreatePolicy'], [roles, policies], newOrOfStack),
    ...allow('Looks', ['iam:Get*', 'iam:List*'], [roles, policies]),
    ...allow(
      'Policies',
      ['iam:CreatePolicyVersion', 'iam:DeletePolicy', 'iam:DeletePolicyVersion', 'iam:UntagPolicy'],
      [policies],
      ofStack,
    ),
    // By name: a tag of the role does not reliably decide who may pass it (IAM User Guide, "Pass a role to an AWS service").
    ...allow('Pass', ['iam:PassRole'], passed, {
      StringEquals: {
        'iam:PassedToService': ['backup', 'lambda', 'scheduler', ...(config.runner.enabled ? ['states'] : [])].map(
          (service) => `${service}.${place.dnsSuffix}`,
        ),
      },
    }),
    deny(
      'NotTheBoundary',
      [
        'iam:CreatePolicy',
        'iam:CreatePolicyVersion',
        'iam:DeletePolicy',
        'iam:DeletePolicyVersion',
        'iam:SetDefaultPolicyVersion',
        'iam:TagPolicy',
        'iam:UntagPolicy',
      ],
      guarded,
    ),
    deny('AlwaysUnderIt', ['iam:DeleteRolePermissionsBoundary'], ['*']),
    deny(
      'NotItself',
      [
        'iam:AttachRolePolicy',
        'iam:CreateRole',
        'iam:DeleteRole',
        'iam:DeleteRolePolicy',
        'iam:DetachRolePolicy',
        'iam:PassRole',
        'iam:PutRolePermissionsBoundary',
        'iam:PutRolePolicy',
        'iam:TagRole',
        'iam:UntagRole',
        'iam:UpdateAssumeRolePolicy',
        'iam:UpdateRole',
      ],
      [iamArn(place, `role/${project}-*-deploy`)],
    ),
  ]);
}
