import * as aws from '@pulumi/aws';
import { expect } from 'chai';
import { deployTables } from '../../infra/program.ts';
import { project } from '../support/project.ts';
import { alarmProblems } from './support/alarm-check.ts';
import { bootTimeoutMs } from './support/boot.ts';
import { mockedStack } from './support/booted-stacks.ts';
import { runMocked } from './support/mocked-run.ts';
import { ruleProblems } from './support/policy-check.ts';
import { alarmType, named, ofType, tableType } from './support/registered.ts';
import { configOf, stackFile } from './support/stack-file.ts';
import { tableProblems } from './support/table-check.ts';

const physicalNames = {
  dev: [
    'oms_config_dev',
    'oms_trading_data_dev',
    'control-dev',
    'markets-dev',
    'orders-dev',
    'positions-dev',
    'trades-dev',
    'crypto-active-coins-dev',
    'crypto-backtest-results-dev',
    'crypto-scan-history-dev',
    'crypto-trading-positions-dev',
    'order-management-dev',
    'tablewright-ledger-dev',
  ],
  prod: [
    'oms_config_prod',
    'oms_trading_data_prod',
    'control',
    'markets',
    'orders',
    'positions',
    'trades',
    'crypto-active-coins',
    'crypto-backtest-results',
    'crypto-scan-history',
    'crypto-trading-positions',
    'order-management',
    'tablewright-ledger',
  ],
};

for (const stack of ['dev', 'prod'] as const) {
  describe(`the program under mocks, stack ${stack}`, function () {
    this.timeout(bootTimeoutMs);

    it('registers the twelve tables and the ledger under their documented names', async () => {
      const { resources } = await mockedStack(stack);
      expect(ofType(resources, tableType).map(({ inputs }) => inputs.name)).to.have.members(physicalNames[stack]);
    });

    it('gives every table what the catalogue and the stack file say, options included', async () => {
      const { resources } = await mockedStack(stack);
      expect(tableProblems(resources, configOf(stack))).to.deep.equal([]);
    });

    it('registers only alarms that can go off and that tell somebody', async () => {
      const { resources } = await mockedStack(stack);
      expect(alarmProblems(resources)).to.deep.equal([]);
    });

    it('keeps the rules: encrypted, tagged, protected in prod, private, no wildcards', async () => {
      const { resources } = await mockedStack(stack);
      expect(ruleProblems(resources, stack === 'prod')).to.deep.equal([]);
    });

    it('puts what belongs to a table under its component', async () => {
      const { resources } = await mockedStack(stack);
      const ofStack = ['account-reads', 'account-writes', 'user-errors', 'backup-failures'];
      for (const alarm of ofType(resources, alarmType).filter(({ name }) => !ofStack.includes(name))) {
        const table = (alarm.inputs.tags as { Table: string }).Table;
        expect(alarm.options.parent, alarm.name).to.equal(`tablewright:dynamodb:DynamoTable::${table}`);
      }
    });
  });
}

describe('the program under mocks', function () {
  this.timeout(bootTimeoutMs);

  it('scales table and indexes of the backtest tables in prod, and nothing in dev', async () => {
    const { resources } = await mockedStack('prod');
    const targets = ofType(resources, 'aws:appautoscaling/target:Target');
    const results = targets.filter(({ inputs }) => String(inputs.resourceId).startsWith('table/crypto-backtest-results'));
    expect(
      results.map(({ inputs }) =>
        [inputs.resourceId, inputs.scalableDimension, inputs.minCapacity, inputs.maxCapacity].join(' '),
      ),
    ).to.have.members([
      'table/crypto-backtest-results dynamodb:table:ReadCapacityUnits 10 100',
      'table/crypto-backtest-results dynamodb:table:WriteCapacityUnits 20 200',
      ...['ScanIdIndex', 'OptimalTimeframeIndex', 'StatusIndex'].flatMap((index) => [
        `table/crypto-backtest-results/index/${index} dynamodb:index:ReadCapacityUnits 10 100`,
        `table/crypto-backtest-results/index/${index} dynamodb:index:WriteCapacityUnits 20 200`,
      ]),
    ]);
    for (const { name, options } of targets) expect(options.dependsOn.join(), name).to.include(tableType);
    const policies = ofType(resources, 'aws:appautoscaling/policy:Policy');
    expect(policies.map(({ name }) => name)).to.have.members(targets.map(({ name }) => name));
    for (const { name, inputs } of policies) {
      const scaling = inputs.targetTrackingScalingPolicyConfiguration as Readonly<Record<string, unknown>>;
      expect(inputs.policyType).to.equal('TargetTrackingScaling');
      expect(scaling.targetValue).to.equal(70);
      expect(scaling.predefinedMetricSpecification, name).to.deep.equal({
        predefinedMetricType: `DynamoDB${name.endsWith('read') ? 'Read' : 'Write'}CapacityUtilization`,
      });
    }
    expect(ofType((await mockedStack('dev')).resources, 'aws:appautoscaling/target:Target')).to.deep.equal([]);
  });

  it('makes no seeder in prod', async () => {
    const policies = async (stack: 'dev' | 'prod') =>
      ofType((await mockedStack(stack)).resources, 'aws:iam/policy:Policy').map(({ name }) => name);
    expect(await policies('dev')).to.include('seeder');
    expect(await policies('prod')).not.to.include('seeder');
  });

  it('backs up every table in prod but that of five-minute signals, with the key of the stack, and none in dev', async () => {
    const { resources } = await mockedStack('prod');
    const selection = named(resources, 'aws:backup/selection:Selection', 'backups');
    expect(selection.inputs.resources).to.have.members(
      physicalNames.prod
        .filter((name) => name !== 'crypto-trading-positions')
        .map((name) => `arn:aws:dynamodb:us-east-1:111122223333:table/${name}`),
    );
    expect(ofType((await mockedStack('dev')).resources, 'aws:backup/plan:Plan')).to.deep.equal([]);
  });

  it('gives the names, ARNs and indexes of every table as outputs, and what else there is to know', async () => {
    const { outputs } = await mockedStack('prod');
    const { tables } = outputs as { tables: Readonly<Record<string, unknown>> };
    expect(Object.keys(tables)).to.have.lengthOf(physicalNames.prod.length);
    expect(tables.oms_trading_data).to.deep.equal({
      TableName: 'oms_trading_data_prod',
      TableArn: 'arn:aws:dynamodb:us-east-1:111122223333:table/oms_trading_data_prod',
      GSI1Name: 'GSI1',
      GSI2Name: 'GSI2',
      GSI3Name: 'GSI3',
    });
    expect(outputs).to.include({
      keyArn: 'arn:aws:kms:us-east-1:111122223333:key/11111111-2222-4333-8444-555555555555',
      exportBucket: 'tablewright-prod-exports-111122223333-us-east-1',
      alarmTopicArn: 'arn:aws:sns:us-east-1:111122223333:tablewright-prod-alarms',
    });
    expect(Object.keys(outputs.policyArns as object)).to.have.lengthOf(15);
    expect(outputs.dashboards).to.deep.equal({
      oms: 'tablewright-prod-oms',
      markets: 'tablewright-prod-markets',
      backtest: 'tablewright-prod-backtest',
      'order-management': 'tablewright-prod-order-management',
      tablewright: 'tablewright-prod-tablewright',
    });
  });

  it('deploys any other stack from its file: some systems, a stream, roles, subscriptions', async () => {
    const { resources, outputs } = await runMocked('staging', {
      'aws:region': 'us-east-1',
      'tablewright:systems': ['oms'],
      'tablewright:tables': { oms_trading_data: { stream: 'NEW_AND_OLD_IMAGES', tableClass: 'STANDARD_INFREQUENT_ACCESS' } },
      'tablewright:alarms': { subscriptions: [{ protocol: 'email', endpoint: 'ops@example.com' }] },
      'tablewright:roles': {
        api: { policies: ['application-read', 'application-write'], services: ['lambda.amazonaws.com'] },
      },
    });
    expect(ofType(resources, tableType).map(({ inputs }) => inputs.name)).to.have.members([
      'oms_config_staging',
      'oms_trading_data_staging',
      'tablewright-ledger-staging',
    ]);
    expect(named(resources, tableType, 'oms_trading_data').inputs).to.include({
      streamEnabled: true,
      streamViewType: 'NEW_AND_OLD_IMAGES',
      tableClass: 'STANDARD_INFREQUENT_ACCESS',
    });
    const { tables } = outputs as { tables: { oms_trading_data: { StreamArn: string } } };
    expect(tables.oms_trading_data.StreamArn).to.match(/table\/oms_trading_data_staging\/stream\//);
    const [subscription] = ofType(resources, 'aws:sns/topicSubscription:TopicSubscription');
    if (subscription === undefined) throw new Error('nobody is told');
    expect(subscription.inputs).to.include({ protocol: 'email', endpoint: 'ops@example.com' });
    expect(subscription.name).to.match(/^alarms-email-[0-9a-f]{8}$/);
    expect(subscription.secrets).to.deep.equal(['endpoint']);
    const key = named(resources, 'aws:kms/key:Key', 'stack');
    expect(key.inputs.policy).to.include('arn:aws:iam::111122223333:role/tablewright-staging-api');
    expect(key.options.dependsOn).to.deep.equal(['aws:iam/role:Role::api']);
    const attached = ofType(resources, 'aws:iam/rolePolicyAttachment:RolePolicyAttachment');
    expect(attached.map(({ name }) => name)).to.have.members(['api-application-read-oms', 'api-application-write-oms']);
    expect(ruleProblems(resources, false)).to.deep.equal([]);
    expect(alarmProblems(resources)).to.deep.equal([]);
  });

  it('deploys everything through a provider that it is given, and asks it where it is', async () => {
    const run = () => deployTables(project, { provider: new aws.Provider('elsewhere', { region: 'us-east-1' }) });
    const { resources } = await runMocked('dev', stackFile('dev'), run);
    const made = resources.filter(({ type }) => type.startsWith('aws:'));
    expect(made.length).to.be.above(150);
    expect([...new Set(made.map(({ options }) => options.provider))]).to.deep.equal(['pulumi:providers:aws::elsewhere']);
  });

  it('lets go of a production stack that is no longer to be protected, so that it can be destroyed', async () => {
    const { resources } = await runMocked('prod', { ...stackFile('prod'), 'tablewright:protect': false });
    expect(resources.filter(({ options }) => options.protect)).to.deep.equal([]);
    for (const { inputs } of ofType(resources, tableType)) expect(inputs.deletionProtectionEnabled).to.equal(false);
    for (const { inputs } of ofType(resources, 'aws:s3/bucket:Bucket')) expect(inputs.forceDestroy).to.equal(true);
  });
});
