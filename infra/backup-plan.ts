import * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import { type AwsPlace, resourceName, servicePolicyArn } from '../tables/model/stack/aws-place.ts';
import type { StackConfig } from '../tables/model/stack/stack-config.ts';
import { stackTags } from '../tables/model/stack/tags.ts';
import { policyDocument } from './access/statement.ts';

/**
 * What AWS Backup needs to save and restore tables. AWS maintains these two; a list of our own would go stale with the
 * next action that the service starts to use.
 */
const servicePolicies = ['AWSBackupServiceRolePolicyForBackup', 'AWSBackupServiceRolePolicyForRestores'] as const;

/** The name of the vault, the plan and the role. */
export function backupsName({ stack }: Pick<StackConfig, 'stack'>): string {
  return resourceName(stack, 'backups');
}

/** A regular backup of every table, kept in a vault of the stack. */
export function createBackupPlan(
  config: StackConfig,
  place: AwsPlace,
  keyArn: pulumi.Input<string>,
  tableArns: readonly pulumi.Input<string>[],
): void {
  const tags = { ...stackTags(config) };
  const name = backupsName(config);
  const { schedule, deleteAfterDays, coldStorageAfterDays } = config.backups;
  const vault = new aws.backup.Vault(
    'backups',
    { name, kmsKeyArn: keyArn, forceDestroy: !config.protect, tags },
    { protect: config.protect },
  );
  const lifecycle = {
    deleteAfter: deleteAfterDays,
    ...(coldStorageAfterDays === undefined ? {} : { coldStorageAfter: coldStorageAfterDays }),
  };
  const plan = new aws.backup.Plan('backups', {
    name,
    rules: [{ ruleName: 'tables', targetVaultName: vault.name, schedule, lifecycle, recoveryPointTags: tags }],
    tags,
  });
  const role = createServiceRole(config, place);
  new aws.backup.Selection(
    'backups',
    { name, planId: plan.id, iamRoleArn: role.arn, resources: [...tableArns] },
    { parent: plan },
  );
}

function createServiceRole(config: StackConfig, place: AwsPlace): aws.iam.Role {
  const role = new aws.iam.Role('backups', {
    name: backupsName(config),
    assumeRolePolicy: policyDocument([
      {
        Sid: 'Trust',
        Effect: 'Allow',
        Principal: { Service: `backup.${place.dnsSuffix}` },
        Action: 'sts:AssumeRole',
        Condition: { StringEquals: { 'aws:SourceAccount': place.account } },
      },
    ]),
    tags: { ...stackTags(config) },
  });
  for (const policy of servicePolicies) {
    const policyArn = servicePolicyArn(place, policy);
    new aws.iam.RolePolicyAttachment(`backups-${policy}`, { role: role.name, policyArn }, { parent: role });
  }
  return role;
}
