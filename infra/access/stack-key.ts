import * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import { type AwsPlace, iamArn, resourceName } from '../../tables/model/stack/aws-place.ts';
import { keyAlias } from '../../tables/model/stack/key-alias.ts';
import type { StackConfig } from '../../tables/model/stack/stack-config.ts';
import { stackTags } from '../../tables/model/stack/tags.ts';
import { backupsName } from '../backup-plan.ts';
import type { Owned } from '../owned.ts';
import { runnerLogGroupArns } from '../runner/runner-names.ts';
import { keyPolicy } from './key-policy.ts';
import { policyDocument } from './statement.ts';

/** The stack's one key, for tables, topic, bucket and backups. */
export function createKey(
  config: StackConfig,
  place: AwsPlace,
  roleArns: readonly string[],
  roles: readonly pulumi.Resource[],
  owned: Owned,
): aws.kms.Key {
  const key = new aws.kms.Key(
    'stack',
    {
      description: `Tables, alarms and exports of ${resourceName(config)}`,
      enableKeyRotation: true,
      rotationPeriodInDays: config.key.rotationDays,
      deletionWindowInDays: config.key.deletionWindowDays,
      policy: policyDocument(
        keyPolicy(place, config, {
          roleArns,
          backupRoleArn: config.backups.enabled ? iamArn(place, `role/${backupsName(config)}`) : undefined,
          logGroupArns: runnerLogGroupArns(config, place),
        }),
      ),
      tags: { ...stackTags(config) },
    },
    { ...owned, protect: config.protect, dependsOn: [...roles] },
  );
  // Children inherit `protect`; an alias holds nothing, and a protected one could not be renamed.
  const options = { parent: key, protect: false };
  new aws.kms.Alias('stack', { name: keyAlias(config), targetKeyId: key.keyId }, options);
  return key;
}
