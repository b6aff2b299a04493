import * as aws from '@pulumi/aws';
import { TablewrightError } from '../../tables/model/error.ts';
import type { AwsPlace } from '../../tables/model/stack/aws-place.ts';
import type { StackConfig } from '../../tables/model/stack/stack-config.ts';

/** Asks AWS where the credentials lead. */
export async function findPlace(): Promise<AwsPlace> {
  const [identity, partition, region] = await Promise.all([aws.getCallerIdentity(), aws.getPartition(), aws.getRegion()]);
  return {
    account: identity.accountId,
    partition: partition.partition,
    dnsSuffix: partition.dnsSuffix,
    region: region.region,
  };
}

/** Refuses to deploy elsewhere than the stack's file says: with other credentials, a whole second stack would appear. */
export function checkPlace(place: AwsPlace, { stack, account, region }: StackConfig): void {
  if (account !== undefined && account !== place.account) {
    throw new TablewrightError('WRONG_ACCOUNT', `Stack ${stack} belongs to another AWS account`, {
      problems: [`tablewright:account: expected credentials of account ${account}, found account ${place.account}`],
      next: `Use credentials of account ${account}, or correct tablewright:account in Pulumi.${stack}.yaml.`,
    });
  }
  if (region !== place.region) {
    throw new TablewrightError('BAD_CONFIG', `Stack ${stack} would be deployed to another region than its file says`, {
      problems: [`aws:region: expected ${region}, found ${place.region} in use`],
      next: `Run npx pulumi config set aws:region ${place.region} --stack ${stack}, so that the command line looks there too.`,
    });
  }
}
