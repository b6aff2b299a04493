import * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import { type AwsPlace, resourceName, type StackName, servicePolicyArn } from '../tables/model/stack/aws-place.ts';
import type { StackConfig } from '../tables/model/stack/stack-config.ts';
import { stackTags } from '../tables/model/stack/tags.ts';
import type { Table } from '../tables/model/table.ts';
import { under } from './access/stack-access.ts';
import { policyDocument } from './access/statement.ts';
import type { Owned } from './owned.ts';

/**
 * What AWS Backup needs to save and restore tables. AWS maintains these two; a list of our own would go stale with the
 * next action that the service starts to use.
 */
const servicePolicies = ['AWSBackupServiceRolePolicyForBackup', 'AWSBackupServiceRolePolicyForRestores'] as const;

/** The name of the vault, the plan and the role. */
export function backupsName(config: StackName): string {
  return resourceName(config, 'backups');
}

export interface BackupArgs {
  readonly config: StackConfig;
  readonly place: AwsPlace;
  readonly keyArn: pulumi.Input<string>;
  readonly tableArns: readonly pulumi.Input<string>[];
  readonly boundaryArn: pulumi.Input<string> | undefined;
  readonly owned: Owned;
}

/** A regular backup of tables, kept in a vault of the stack and copied where the stack's file says. */
export function createBackupPlan({ config, place, keyArn, tableArns, boundaryArn, owned }: BackupArgs): void {
  const tags = { ...stackTags(config) };
  const name = backupsName(config);
  const { schedule, copyTo, lock } = config.backups;
  const vault = new aws.backup.Vault(
    'backups',
    { name, kmsKeyArn: keyArn, forceDestroy: !config.protect, tags },
    { ...owned, protect: config.protect },
  );
  if (lock !== undefined) {
    // Without `changeableForDays` it is the governance mode, which those who may can lift again.
    const days = {
      minRetentionDays: lock.minDays,
      ...(lock.maxDays === undefined ? {} : { maxRetentionDays: lock.maxDays }),
    };
    new aws.backup.VaultLockConfiguration('backups', { backupVaultName: vault.name, ...days }, { parent: vault, protect: false });
  }
  const { deleteAfterDays } = config.backups;
  const copyActions =
    copyTo === undefined
      ? []
      : [{ destinationVaultArn: copyTo.vaultArn, lifecycle: { deleteAfter: copyTo.deleteAfterDays ?? deleteAfterDays } }];
  const rule = {
    ruleName: 'tables',
    targetVaultName: vault.name,
    schedule,
    lifecycle: lifecycleOf(config),
    recoveryPointTags: tags,
    ...(copyActions.length === 0 ? {} : { copyActions }),
  };
  const plan = new aws.backup.Plan('backups', { name, rules: [rule], tags }, owned);
  const role = createServiceRole(config, place, boundaryArn, owned);
  new aws.backup.Selection(
    'backups',
    { name, planId: plan.id, iamRoleArn: role.arn, resources: [...tableArns] },
    { parent: plan },
  );
}

function lifecycleOf({ backups: { deleteAfterDays, coldStorageAfterDays } }: StackConfig) {
  return {
    deleteAfter: deleteAfterDays,
    ...(coldStorageAfterDays === undefined ? {} : { coldStorageAfter: coldStorageAfterDays }),
  };
}

/** Tables that the plan backs up: all but those whose items live for minutes, say. */
export function backedUp(tables: readonly Table[], config: StackConfig): readonly Table[] {
  return tables.filter(({ name }) => config.tables[name]?.backups ?? true);
}

function createServiceRole(
  config: StackConfig,
  place: AwsPlace,
  boundaryArn: pulumi.Input<string> | undefined,
  owned: Owned,
): aws.iam.Role {
  const args = {
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
    ...under(boundaryArn),
  };
  const role = new aws.iam.Role('backups', args, owned);
  for (const policy of servicePolicies) {
    const policyArn = servicePolicyArn(place, policy);
    new aws.iam.RolePolicyAttachment(`backups-${policy}`, { role: role.name, policyArn }, { parent: role });
  }
  return role;
}
