import { named, ofType, type Registered, tableType } from '../../infra/support/registered.ts';

/** A policy document as AWS takes it. */
export interface PolicyDocument {
  readonly Version: string;
  readonly Statement: readonly PolicyStatement[];
}

export interface PolicyStatement {
  readonly Sid: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface GuardedTable {
  /** The partition key of the table and of each index, by name; `''` is the table itself. */
  readonly hashes: ReadonlyMap<string, string>;
}

/** Who may do what, from what a stack really registers: nothing here is written down a second time. */
export interface DeployedAccess {
  readonly account: string;
  readonly region: string;
  /** The managed policies, by the resource's name. */
  readonly policies: ReadonlyMap<string, PolicyDocument>;
  readonly key: { readonly arn: string; readonly alias: string; readonly policy: PolicyDocument };
  /** The policy of each bucket. */
  readonly buckets: ReadonlyMap<string, PolicyDocument>;
  /** Buckets whose objects are encrypted with the stack's key unless a request says otherwise. */
  readonly keyedBuckets: ReadonlySet<string>;
  readonly tables: ReadonlyMap<string, GuardedTable>;
}

export interface Place {
  readonly account: string;
  readonly region: string;
}

export function accessOf(resources: readonly Registered[], keyArn: string, { account, region }: Place): DeployedAccess {
  const document = (text: unknown) => JSON.parse(String(text)) as PolicyDocument;
  const encryption = ofType(resources, 'aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration');
  return {
    account,
    region,
    policies: new Map(
      ofType(resources, 'aws:iam/policy:Policy').map(({ name, inputs }) => [name, document(inputs.policy)] as const),
    ),
    key: {
      arn: keyArn,
      alias: String(named(resources, 'aws:kms/alias:Alias', 'stack').inputs.name),
      policy: document(named(resources, 'aws:kms/key:Key', 'stack').inputs.policy),
    },
    buckets: new Map(
      ofType(resources, 'aws:s3/bucketPolicy:BucketPolicy').map(
        ({ inputs }) => [String(inputs.bucket), document(inputs.policy)] as const,
      ),
    ),
    keyedBuckets: new Set(
      encryption.filter(({ inputs }) => JSON.stringify(inputs.rules).includes(keyArn)).map(({ inputs }) => String(inputs.bucket)),
    ),
    tables: new Map(ofType(resources, tableType).map(({ inputs }) => [String(inputs.name), guardedTable(inputs)] as const)),
  };
}

interface IndexInput {
  readonly name: string;
  readonly keySchemas: readonly { readonly attributeName: string; readonly keyType: string }[];
}

function guardedTable(inputs: Registered['inputs']): GuardedTable {
  const indexes = (inputs.globalSecondaryIndexes as readonly IndexInput[] | undefined) ?? [];
  const hashOf = ({ keySchemas }: IndexInput) => keySchemas.find(({ keyType }) => keyType === 'HASH')?.attributeName ?? '';
  return { hashes: new Map([['', String(inputs.hashKey)], ...indexes.map((index) => [index.name, hashOf(index)] as const)]) };
}
