import { place } from './fake-aws.ts';
import { ofType, type Registered, tableType } from './registered.ts';

/** Types that can carry tags; of the others, AWS takes none. */
const taggable = [
  'aws:appautoscaling/target:Target',
  'aws:backup/plan:Plan',
  'aws:backup/vault:Vault',
  'aws:cloudwatch/logGroup:LogGroup',
  'aws:lambda/function:Function',
  'aws:sfn/stateMachine:StateMachine',
  'aws:cloudwatch/metricAlarm:MetricAlarm',
  'aws:dynamodb/table:Table',
  'aws:iam/policy:Policy',
  'aws:iam/role:Role',
  'aws:kms/key:Key',
  'aws:s3/bucket:Bucket',
  'aws:sns/topic:Topic',
];
const untaggable = [
  'aws:appautoscaling/policy:Policy',
  'aws:backup/selection:Selection',
  'aws:backup/vaultLockConfiguration:VaultLockConfiguration',
  'aws:cloudwatch/dashboard:Dashboard',
  'aws:dynamodb/contributorInsights:ContributorInsights',
  'aws:iam/rolePolicy:RolePolicy',
  'aws:scheduler/schedule:Schedule',
  'aws:iam/rolePolicyAttachment:RolePolicyAttachment',
  'aws:kms/alias:Alias',
  'aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration',
  'aws:s3/bucketLogging:BucketLogging',
  'aws:s3/bucketOwnershipControls:BucketOwnershipControls',
  'aws:s3/bucketPolicy:BucketPolicy',
  'aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock',
  'aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration',
  'aws:s3/bucketVersioning:BucketVersioning',
  'aws:sns/topicPolicy:TopicPolicy',
  'aws:sns/topicSubscription:TopicSubscription',
];

/** Types whose loss is a loss of data. */
const precious = [tableType, 'aws:kms/key:Key', 'aws:s3/bucket:Bucket', 'aws:backup/vault:Vault'];

/** Where the registered resources break the rules of the house. */
export function ruleProblems(resources: readonly Registered[], production: boolean): readonly string[] {
  const custom = resources.filter((resource) => resource.custom && resource.type.startsWith('aws:'));
  return [
    ...custom.flatMap((resource) => [...tagProblems(resource), ...protectionProblems(resource, production)]),
    ...encryptionProblems(resources),
    ...bucketProblems(resources),
    ...custom.flatMap(documentProblems),
  ];
}

function tagProblems({ type, name, inputs }: Registered): readonly string[] {
  if (untaggable.includes(type)) return [];
  if (!taggable.includes(type)) return [`${type} ${name}: a type that this check does not know`];
  const tags = (inputs.tags ?? {}) as Readonly<Record<string, string>>;
  return ['Environment', 'Service'].filter((tag) => !tags[tag]).map((tag) => `${type} ${name}: no tag ${tag}`);
}

function protectionProblems({ type, name, options }: Registered, production: boolean): readonly string[] {
  const wanted = production && precious.includes(type);
  if (options.protect === wanted) return [];
  return [`${type} ${name}: ${wanted ? 'not protected' : 'protected, and cannot be removed'}`];
}

function encryptionProblems(resources: readonly Registered[]): readonly string[] {
  const key = (value: unknown) => String(value).startsWith('arn:aws:kms:');
  const bad = (found: readonly Registered[], holds: (resource: Registered) => boolean) =>
    found.filter((resource) => !holds(resource)).map(({ type, name }) => `${type} ${name}: not encrypted with the stack's key`);
  return [
    ...bad(ofType(resources, tableType), ({ inputs }) => {
      const sse = inputs.serverSideEncryption as { enabled?: boolean; kmsKeyArn?: string } | undefined;
      return sse?.enabled === true && key(sse.kmsKeyArn);
    }),
    ...bad(ofType(resources, 'aws:sns/topic:Topic'), ({ inputs }) => key(inputs.kmsMasterKeyId)),
    ...bad(ofType(resources, 'aws:backup/vault:Vault'), ({ inputs }) => key(inputs.kmsKeyArn)),
    ...ofType(resources, 'aws:kms/key:Key')
      .filter(({ inputs }) => inputs.enableKeyRotation !== true)
      .map(({ name }) => `aws:kms/key:Key ${name}: does not rotate`),
  ];
}

interface EncryptionRule {
  readonly applyServerSideEncryptionByDefault: { readonly sseAlgorithm: string; readonly kmsMasterKeyId?: string };
}

function bucketProblems(resources: readonly Registered[]): readonly string[] {
  const part = (type: string, bucket: unknown) =>
    ofType(resources, `aws:s3/${type}`).find(({ inputs }) => inputs.bucket === bucket)?.inputs;
  return ofType(resources, 'aws:s3/bucket:Bucket').flatMap(({ name, inputs: { bucket } }) => {
    const access = part('bucketPublicAccessBlock:BucketPublicAccessBlock', bucket) ?? {};
    const closed = ['blockPublicAcls', 'blockPublicPolicy', 'ignorePublicAcls', 'restrictPublicBuckets'];
    const rules = part('bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration', bucket)?.rules;
    const encryption = (rules as readonly EncryptionRule[] | undefined)?.[0]?.applyServerSideEncryptionByDefault;
    // S3 delivers access logs only to buckets that it encrypts with its own key.
    const wanted = name === 'export-logs' ? encryption?.sseAlgorithm === 'AES256' : encryption?.kmsMasterKeyId !== undefined;
    const versioning = part('bucketVersioning:BucketVersioning', bucket)?.versioningConfiguration as
      | { status?: string }
      | undefined;
    const policy = String(part('bucketPolicy:BucketPolicy', bucket)?.policy);
    return [
      ...closed.filter((setting) => access[setting] !== true).map((setting) => `bucket ${name}: ${setting} is off`),
      ...(wanted ? [] : [`bucket ${name}: not encrypted`]),
      ...(versioning?.status === 'Enabled' ? [] : [`bucket ${name}: not versioned`]),
      ...(policy.includes('"aws:SecureTransport":"false"') ? [] : [`bucket ${name}: takes requests without TLS`]),
    ];
  });
}

interface Statement {
  readonly Sid: string;
  readonly Effect: string;
  readonly Principal?: unknown;
  readonly Action: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly Condition?: unknown;
}

/** Actions that AWS cannot limit to a resource, each of them a list or a metric (Service Authorization Reference). */
const unlimited = [
  'application-autoscaling:DescribeScalableTargets',
  'application-autoscaling:DescribeScalingPolicies',
  'dynamodb:ListContributorInsights',
  'dynamodb:ListExports',
  'dynamodb:ListBackups',
  'dynamodb:ListBulkOperations',
  'dynamodb:ListStreams',
  'cloudwatch:GetMetricStatistics',
  'cloudwatch:PutMetricData',
  'lambda:ListEventSourceMappings',
  'logs:DescribeLogGroups',
  // How a state machine's log is delivered: the one exception that is no list and no metric.
  'logs:CreateLogDelivery',
  'logs:DeleteLogDelivery',
  'logs:DescribeResourcePolicies',
  'logs:GetLogDelivery',
  'logs:ListLogDeliveries',
  'logs:PutResourcePolicy',
  'logs:UpdateLogDelivery',
];

/** Names that AWS gives when a thing is made, each behind one table, log group or bucket of the stack; and the stack's alarms. */
const openEndings = [
  new RegExp(`^arn:aws:dynamodb:${place.region}:${place.account}:table/[\\w.-]+/(backup|export|import|stream)/\\*$`),
  new RegExp(`^arn:aws:cloudwatch:${place.region}:${place.account}:alarm:tablewright-[\\w-]+-\\*$`),
  new RegExp(`^arn:aws:logs:${place.region}:${place.account}:log-group:/aws-dynamodb/imports:\\*$`),
  new RegExp(`^arn:aws:logs:${place.region}:${place.account}:log-group:/aws/lambda/tablewright-[\\w-]+:\\*$`),
  /^arn:aws:s3:::[a-z0-9.-]+\/(bulk\/)?\*$/,
  // Versions of the runner's function, executions of its machine and of the machine's children.
  new RegExp(`^arn:aws:lambda:${place.region}:${place.account}:function:tablewright-[\\w-]+-runner:\\*$`),
  new RegExp(`^arn:aws:states:${place.region}:${place.account}:execution:tablewright-[\\w-]+-runner[:/]\\*$`),
];

/** How DynamoDB names its bulk operations is not known, but that it does so behind the table: these actions and no others. */
const bulkActions = ['dynamodb:CancelBulkOperation', 'dynamodb:DescribeBulkOperation'];
const behindTable = new RegExp(`^arn:aws:dynamodb:${place.region}:${place.account}:table/[\\w.-]+/\\*$`);

function documentProblems({ type, name, inputs }: Registered): readonly string[] {
  const texts = [inputs.policy, inputs.assumeRolePolicy].filter((text) => text !== undefined).map(String);
  return texts.flatMap((text) => {
    const { Statement: statements } = JSON.parse(text) as { readonly Statement: readonly Statement[] };
    return statements
      .filter(({ Effect }) => Effect === 'Allow')
      .flatMap((statement) =>
        statementProblems(type, statement).map((problem) => `${type} ${name}/${statement.Sid}: ${problem}`),
      );
  });
}

function statementProblems(type: string, { Principal, Action, Resource = [], Condition }: Statement): readonly string[] {
  const isKeyPolicy = type === 'aws:kms/key:Key';
  const resources = [Resource].flat();
  const isUnlimited = [Action].flat().every((action) => unlimited.includes(action)) && resources.join() === '*';
  const isBulk = [Action].flat().every((action) => bulkActions.includes(action));
  const isKnown = (arn: string) => openEndings.some((ending) => ending.test(arn)) || (isBulk && behindTable.test(arn));
  return [
    ...[Action].flat().flatMap((action) => (action.includes('*') ? [`action ${action}`] : [])),
    // In a key's own policy "*" is the key itself; nothing else may stand there.
    ...(isKeyPolicy && resources.join() !== '*' ? [`resource ${resources.join()} in a key policy`] : []),
    ...resources
      .filter((arn) => !isKeyPolicy && !isUnlimited && arn.includes('*') && !isKnown(arn))
      .map((arn) => `resource ${arn}`),
    ...(JSON.stringify(Principal ?? '').includes('"*"') ? ['any principal'] : []),
    ...(type === 'aws:sns/topicPolicy:TopicPolicy' && Condition === undefined ? ['no condition'] : []),
  ];
}
