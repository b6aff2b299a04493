import { TablewrightError } from '../../../tables/model/error.ts';
import { exportBucketName, givenBucketName } from '../../../tables/model/stack/export-bucket-name.ts';
import { callerAccount } from '../../aws/caller-account.ts';
import { localStack } from '../local-stack.ts';
import type { OpenStack } from '../open-stack.ts';

/** The bucket of the embedded S3 server that stands for the stack's own. */
export const localBucket = 'tablewright-local-exports';

/** The stack's export bucket, by the same rule that names it when the stack is deployed. */
export async function stackBucket(stack: OpenStack, option: string): Promise<string> {
  if (stack.name === localStack) return localBucket;
  const { config, endpoint } = stack;
  const { region } = config;
  const given = givenBucketName(config);
  if (given !== undefined) return given;
  const account = config.account ?? (await callerAccount(region, endpoint, stack.patience));
  if (account !== undefined) return exportBucketName(config, { account, region });
  throw new TablewrightError('BAD_ARGUMENT', `${option} was not given, and ${endpoint} has no account to name the bucket by`, {
    next: `Give ${option} s3://BUCKET/PREFIX or a directory, or set tablewright:exportBucket.name in Pulumi.${stack.name}.yaml.`,
  });
}
