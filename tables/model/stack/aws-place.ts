import type { StackConfig } from './stack-config.ts';

/** Where a stack is deployed; every ARN and every condition of a policy follows from it. */
export interface AwsPlace {
  /** `aws`, `aws-cn`, `aws-us-gov`. */
  readonly partition: string;
  readonly dnsSuffix: string;
  readonly region: string;
  readonly account: string;
}

/** Known without asking AWS (AWS General Reference, "Amazon Resource Names: partition"). */
export function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}

/**
 * ARNs are built from names instead of taken from created resources, so that a preview shows whole policies
 * and the builders stay pure.
 */
export function tableArn({ partition, region, account }: Omit<AwsPlace, 'dnsSuffix'>, table: string): string {
  return `arn:${partition}:dynamodb:${region}:${account}:table/${table}`;
}

export function indexArn(place: AwsPlace, table: string, index: string): string {
  return `${tableArn(place, table)}/index/${index}`;
}

export function bucketArn({ partition }: AwsPlace, bucket: string): string {
  return `arn:${partition}:s3:::${bucket}`;
}

export function iamArn({ partition, account }: Pick<AwsPlace, 'partition' | 'account'>, resource: string): string {
  return `arn:${partition}:iam::${account}:${resource}`;
}

export function alarmArn({ partition, region, account }: AwsPlace, alarm: string): string {
  return `arn:${partition}:cloudwatch:${region}:${account}:alarm:${alarm}`;
}

export function topicArn({ partition, region, account }: AwsPlace, topic: string): string {
  return `arn:${partition}:sns:${region}:${account}:${topic}`;
}

export function logGroupArn({ partition, region, account }: AwsPlace, group: string): string {
  return `arn:${partition}:logs:${region}:${account}:log-group:${group}`;
}

/** Of a policy that AWS keeps for the role of a service of its own. */
export function servicePolicyArn({ partition }: AwsPlace, policy: string): string {
  return iamArn({ partition, account: 'aws' }, `policy/service-role/${policy}`);
}

/** As long as the ARN of any key: what follows the account is always 36 characters (KMS Developer Guide, "Key identifiers"). */
export function anyKeyArn({ partition, region, account }: AwsPlace): string {
  return `arn:${partition}:kms:${region}:${account}:key/${'0'.repeat(36)}`;
}

/** The name by which KMS knows a service that calls it for somebody. */
export function viaService({ region, dnsSuffix }: AwsPlace, service: string): string {
  return `${service}.${region}.${dnsSuffix}`;
}

/** What tells a stack from every other in an account. */
export type StackName = Pick<StackConfig, 'project' | 'stack'>;

/** `tablewright-dev-…`: the physical name of everything in a stack that is not a table begins with its project's. */
export function resourceName({ project, stack }: StackName, ...parts: readonly string[]): string {
  return [project, stack, ...parts].join('-');
}

export function functionArn({ partition, region, account }: AwsPlace, name: string): string {
  return `arn:${partition}:lambda:${region}:${account}:function:${name}`;
}

/** Of a service that has no function of its own here. */
export function anyArn({ partition, region, account }: Omit<AwsPlace, 'dnsSuffix'>, service: string, resource: string): string {
  return `arn:${partition}:${service}:${region}:${account}:${resource}`;
}
