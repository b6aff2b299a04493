import * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import { TablewrightError } from '../../tables/model/error.ts';
import type { AwsPlace } from '../../tables/model/stack/aws-place.ts';
import type { StackConfig } from '../../tables/model/stack/stack-config.ts';

/** Asks AWS where the credentials lead: those of the component's provider, or of the one that Pulumi has by itself. */
export async function findPlace(options: pulumi.ComponentResourceOptions = {}): Promise<AwsPlace> {
  const through = invokeOptions(options);
  const [identity, partition, region] = await Promise.all([
    aws.getCallerIdentity({}, through),
    aws.getPartition({}, through),
    aws.getRegion({}, through),
  ]);
  return {
    account: identity.accountId,
    partition: partition.partition,
    dnsSuffix: partition.dnsSuffix,
    region: region.region,
  };
}

function invokeOptions({ parent, provider, providers }: pulumi.ComponentResourceOptions): pulumi.InvokeOptions {
  const given = Array.isArray(providers) ? providers.find((one) => aws.Provider.isInstance(one)) : providers?.aws;
  const chosen = provider ?? given;
  return { ...(parent === undefined ? {} : { parent }), ...(chosen === undefined ? {} : { provider: chosen }) };
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
