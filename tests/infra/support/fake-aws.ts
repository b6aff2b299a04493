import type { Inputs } from './registered.ts';

/** The account and region in which the tests deploy. */
export const place = { account: '111122223333', region: 'us-east-1', partition: 'aws', dnsSuffix: 'amazonaws.com' } as const;

export const keyArn = `arn:aws:kms:${place.region}:${place.account}:key/11111111-2222-4333-8444-555555555555`;

/** What AWS would answer for a created resource: its inputs, an id and an ARN. */
export function createdState(type: string, name: string, inputs: Inputs): { readonly id: string; readonly state: Inputs } {
  const arn = arnOf(type, name, inputs);
  const computed = type === 'aws:kms/key:Key' ? { keyId: arn.split('/')[1] } : {};
  const stream = inputs.streamEnabled === true ? { streamArn: `${arn}/stream/2026-01-01T00:00:00.000` } : {};
  return { id: `${name}-id`, state: { ...inputs, arn, ...computed, ...stream } };
}

function arnOf(type: string, name: string, inputs: Inputs): string {
  const { region, account } = place;
  switch (type) {
    case 'aws:kms/key:Key':
      return keyArn;
    case 'aws:dynamodb/table:Table':
      return `arn:aws:dynamodb:${region}:${account}:table/${inputs.name}`;
    case 'aws:sns/topic:Topic':
      return `arn:aws:sns:${region}:${account}:${inputs.name}`;
    case 'aws:iam/role:Role':
      return `arn:aws:iam::${account}:role/${inputs.name}`;
    case 'aws:iam/policy:Policy':
      return `arn:aws:iam::${account}:policy/${inputs.name}`;
    case 'aws:s3/bucket:Bucket':
      return `arn:aws:s3:::${inputs.bucket}`;
    default:
      return `arn:aws:test:${region}:${account}:${name}`;
  }
}

/** What AWS would answer to a question; undefined when the program has no business asking it. */
export function answer(token: string): Inputs | undefined {
  switch (token) {
    case 'aws:index/getCallerIdentity:getCallerIdentity':
      return { accountId: place.account, arn: `arn:aws:iam::${place.account}:user/test`, id: place.account, userId: 'TEST' };
    case 'aws:index/getPartition:getPartition':
      return { partition: place.partition, dnsSuffix: place.dnsSuffix, id: place.partition, reverseDnsPrefix: 'com.amazonaws' };
    case 'aws:index/getRegion:getRegion':
      return { region: place.region, id: place.region, description: 'test', endpoint: `ec2.${place.region}.amazonaws.com` };
    default:
      return undefined;
  }
}
