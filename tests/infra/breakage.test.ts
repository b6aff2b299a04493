import { expect } from 'chai';
import { alarmProblems } from './support/alarm-check.ts';
import { bootTimeoutMs } from './support/boot.ts';
import { bootedStack } from './support/booted-stacks.ts';
import { ruleProblems } from './support/policy-check.ts';
import { alarmType, broken, type Inputs, type Registered, tableType } from './support/registered.ts';
import { configOf } from './support/stack-file.ts';
import { tableProblems } from './support/table-check.ts';

/** The checks are checked: each breakage is one that a change to the program could make, and must be found. */
describe('the checks of registered resources find', function () {
  this.timeout(bootTimeoutMs);

  type Check = (resources: readonly Registered[]) => readonly string[];
  const checkTables: Check = (resources) => tableProblems(resources, configOf('prod'));
  const checkRules: Check = (resources) => ruleProblems(resources, true);
  const inputs = (change: (inputs: Inputs) => Inputs) => (resource: Registered) => ({
    ...resource,
    inputs: { ...resource.inputs, ...change(resource.inputs) },
  });
  const options = (change: Partial<Registered['options']>) => (resource: Registered) => ({
    ...resource,
    options: { ...resource.options, ...change },
  });
  const statement = (change: Readonly<Record<string, unknown>>) =>
    inputs(({ policy }) => {
      const document = JSON.parse(String(policy)) as { readonly Statement: readonly object[] };
      return { policy: JSON.stringify({ ...document, Statement: [{ ...document.Statement[0], ...change }] }) };
    });
  const indexes = (given: Inputs) => given.globalSecondaryIndexes as readonly Inputs[];

  const breakages: readonly (readonly [
    string,
    Check,
    string,
    string,
    (resource: Registered) => Registered | undefined,
    string,
  ])[] = [
    ['a lost table', checkTables, tableType, 'orders', () => undefined, 'orders: registered 0 times'],
    [
      'a table under another name',
      checkTables,
      tableType,
      'orders',
      inputs(() => ({ name: 'orders2' })),
      'orders.name: expected "orders", found "orders2"',
    ],
    [
      'a lost index',
      checkTables,
      tableType,
      'trades',
      inputs((given) => ({ globalSecondaryIndexes: indexes(given).slice(1) })),
      'trades.globalSecondaryIndexes: expected [',
    ],
    [
      'an index with another projection',
      checkTables,
      tableType,
      'oms_trading_data',
      inputs((given) => ({ globalSecondaryIndexes: indexes(given).map((index) => ({ ...index, projectionType: 'ALL' })) })),
      'oms_trading_data.globalSecondaryIndexes: expected [',
    ],
    [
      'an attribute that no key uses',
      checkTables,
      tableType,
      'control',
      inputs((given) => ({ attributes: [...(given.attributes as readonly Inputs[]), { name: 'ttl', type: 'N' }] })),
      'control.attributes: expected [{"name":"name","type":"S"}], found [{"name":"name","type":"S"},{"name":"ttl","type":"N"}]',
    ],
    [
      'a TTL that is off',
      checkTables,
      tableType,
      'control',
      inputs(() => ({ ttl: { enabled: false } })),
      'control.ttl: expected {"attributeName":"ttl","enabled":true}, found {"enabled":false}',
    ],
    [
      'an argument too many',
      checkTables,
      tableType,
      'control',
      inputs(() => ({ readCapacity: 5 })),
      'control.readCapacity: expected none, found 5',
    ],
    [
      'an unprotected table',
      checkTables,
      tableType,
      'orders',
      options({ protect: false }),
      'orders: protect: expected true, found false',
    ],
    [
      'a table that DynamoDB would delete',
      checkTables,
      tableType,
      'orders',
      inputs(() => ({ deletionProtectionEnabled: false })),
      'orders.deletionProtectionEnabled: expected true, found false',
    ],
    [
      'scaled capacity that would be reset',
      checkTables,
      tableType,
      'crypto-scan-history',
      options({ ignoreChanges: [] }),
      'crypto-scan-history: ignoreChanges: expected ["readCapacity","writeCapacity"], found []',
    ],
    [
      'a table outside its component',
      checkTables,
      tableType,
      'orders',
      options({ parent: 'pulumi:pulumi:Stack::tablewright-prod' }),
      'orders: parent: expected "tablewright:dynamodb:DynamoTable::orders", found "pulumi:pulumi:Stack::tablewright-prod"',
    ],
    [
      'an alarm on a set of dimensions that does not exist',
      alarmProblems,
      alarmType,
      'orders-read-throttles',
      inputs(() => ({ metricName: 'ThrottledRequests' })),
      'orders-read-throttles: no metric ThrottledRequests by (TableName)',
    ],
    [
      'an alarm with a dimension too many',
      alarmProblems,
      alarmType,
      'user-errors',
      inputs(() => ({ dimensions: { TableName: 'orders' } })),
      'user-errors: no metric UserErrors by (TableName)',
    ],
    [
      'an alarm on a table that is not there',
      alarmProblems,
      alarmType,
      'orders-read-throttles',
      inputs(() => ({ dimensions: { TableName: 'orders-dev' } })),
      'orders-read-throttles: no table orders-dev',
    ],
    [
      'an alarm on an index that is not there',
      alarmProblems,
      alarmType,
      'oms_config-GSI1-read-throttles',
      inputs(() => ({ dimensions: { TableName: 'oms_config_prod', GlobalSecondaryIndexName: 'GSI2' } })),
      'oms_config-GSI1-read-throttles: no index GSI2 of oms_config_prod',
    ],
    [
      'an index that nobody watches',
      alarmProblems,
      alarmType,
      'oms_config-GSI1-write-throttles',
      () => undefined,
      'nobody watches WriteThrottleEvents of oms_config_prod GSI1',
    ],
    [
      'an alarm that tells nobody',
      alarmProblems,
      alarmType,
      'orders-read-throttles',
      inputs(() => ({ okActions: [] })),
      'orders-read-throttles: tells nobody',
    ],
    [
      'an expression with a series that is not read',
      alarmProblems,
      alarmType,
      'orders-read-latency',
      inputs(({ metricQueries }) => ({ metricQueries: (metricQueries as readonly Inputs[]).slice(0, -1) })),
      'orders-read-latency: calculates with other series than it reads',
    ],
    [
      'a table without the stack’s key',
      checkRules,
      tableType,
      'orders',
      inputs(() => ({ serverSideEncryption: { enabled: true } })),
      `${tableType} orders: not encrypted with the stack's key`,
    ],
    [
      'a topic without the stack’s key',
      checkRules,
      'aws:sns/topic:Topic',
      'alarms',
      inputs(() => ({ kmsMasterKeyId: 'alias/aws/sns' })),
      "aws:sns/topic:Topic alarms: not encrypted with the stack's key",
    ],
    [
      'a missing tag',
      checkRules,
      'aws:iam/policy:Policy',
      'exporter',
      inputs(() => ({ tags: { Service: 'tablewright' } })),
      'aws:iam/policy:Policy exporter: no tag Environment',
    ],
    [
      'an unprotected bucket',
      checkRules,
      'aws:s3/bucket:Bucket',
      'exports',
      options({ protect: false }),
      'aws:s3/bucket:Bucket exports: not protected',
    ],
    [
      'a bucket that is open',
      checkRules,
      'aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock',
      'exports',
      inputs(() => ({ blockPublicPolicy: false })),
      'bucket exports: blockPublicPolicy is off',
    ],
    [
      'a bucket that talks in the clear',
      checkRules,
      'aws:s3/bucketPolicy:BucketPolicy',
      'exports',
      () => undefined,
      'bucket exports: takes requests without TLS',
    ],
    [
      'a wildcard resource',
      checkRules,
      'aws:iam/policy:Policy',
      'migration-runner',
      statement({ Resource: ['arn:aws:dynamodb:us-east-1:111122223333:table/*'] }),
      'aws:iam/policy:Policy migration-runner/Tables: resource arn:aws:dynamodb:us-east-1:111122223333:table/*',
    ],
    [
      'a wildcard action',
      checkRules,
      'aws:iam/policy:Policy',
      'migration-runner',
      statement({ Action: ['dynamodb:*'] }),
      'aws:iam/policy:Policy migration-runner/Tables: action dynamodb:*',
    ],
    [
      'a topic that anybody may publish to',
      checkRules,
      'aws:sns/topicPolicy:TopicPolicy',
      'alarms',
      statement({ Principal: '*' }),
      'aws:sns/topicPolicy:TopicPolicy alarms/AlarmsPublish: any principal',
    ],
    [
      'a key that does not rotate',
      checkRules,
      'aws:kms/key:Key',
      'stack',
      inputs(() => ({ enableKeyRotation: false })),
      'aws:kms/key:Key stack: does not rotate',
    ],
  ];

  for (const [what, check, type, name, change, problem] of breakages) {
    it(what, async () => {
      const { resources } = await bootedStack('prod');
      expect(check(resources)).to.deep.equal([]);
      const found = check(broken(resources, type, name, change));
      expect(found.find((text) => text.startsWith(problem)) ?? found).to.satisfy((text: unknown) =>
        String(text).startsWith(problem),
      );
    });
  }
});
