import { runSimulation } from '@cloud-copilot/iam-simulate';
import { expect } from 'chai';
import { isNewer } from '../support/enforcing-front/newer-actions.ts';
import { place } from './support/fake-aws.ts';
import { runMocked } from './support/mocked-run.ts';
import { named, ofType, type Registered } from './support/registered.ts';
import { stackFile } from './support/stack-file.ts';

const { account, region } = place;
const arn = (resource: string) => `arn:aws:iam::${account}:${resource}`;
const boundary = arn('policy/tablewright-dev-boundary');
const roles = arn('role/tablewright-dev-worker');
const policyType = 'aws:iam/policy:Policy';

const ci = {
  provider: arn('oidc-provider/token.actions.githubusercontent.com'),
  deploy: ['repo:desk/trading:environment:dev'],
  migrate: ['repo:desk/trading:ref:refs/heads/main'],
};

interface Granted {
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
}

/** Decided by the key's policy, too; and on streams of a log, whose names AWS makes, where the boundary has all of the log. */
const leftOut = /^(kms:\w+|logs:\w*(LogStream|LogEvents))$/;

describe('the deploy role of a pipeline, decided by its policies', function () {
  this.timeout(120_000);
  let resources: readonly Registered[] = [];

  before(async () => {
    ({ resources } = await runMocked('dev', { ...stackFile('dev'), 'tablewright:ci': ci }));
  });

  const document = (name: string) => JSON.parse(String(named(resources, policyType, name).inputs.policy));

  async function allows(
    policies: readonly string[],
    action: string,
    resource: string,
    context: Readonly<Record<string, string>> = {},
  ): Promise<boolean> {
    const result = await runSimulation(
      {
        request: {
          principal: arn('role/tablewright-dev-deploy'),
          action,
          resource: { resource, accountId: account },
          contextVariables: { ...context },
        },
        identityPolicies: policies.map((name) => ({ name, policy: document(name) })),
        serviceControlPolicies: [],
        resourceControlPolicies: [],
      },
      {},
    );
    if (result.resultType === 'error') throw new Error(`${action}: ${JSON.stringify(result.errors)}`);
    return result.overallResult === 'Allowed';
  }

  const deploy = (action: string, resource: string, context?: Readonly<Record<string, string>>) =>
    allows(['deploy-tables', 'deploy-services', 'deploy-access'], action, resource, context);

  it('makes tables of this stack and of no other, and reads no item of them', async () => {
    const table = (name: string) => `arn:aws:dynamodb:${region}:${account}:table/${name}`;
    expect(await deploy('dynamodb:CreateTable', table('orders-dev'))).to.equal(true);
    expect(await deploy('dynamodb:CreateTable', table('orders'))).to.equal(false);
    expect(await deploy('dynamodb:GetItem', table('orders-dev'))).to.equal(false);
    expect(await deploy('s3:GetObject', `arn:aws:s3:::tablewright-dev-exports-${account}-${region}/x`)).to.equal(false);
  });

  it('makes roles only under the boundary', async () => {
    expect(await deploy('iam:CreateRole', roles, { 'iam:PermissionsBoundary': boundary })).to.equal(true);
    expect(await deploy('iam:CreateRole', roles)).to.equal(false);
    expect(await deploy('iam:CreateRole', roles, { 'iam:PermissionsBoundary': arn('policy/another') })).to.equal(false);
    expect(await deploy('iam:CreateRole', arn('role/admin'), { 'iam:PermissionsBoundary': boundary })).to.equal(false);
    expect(await deploy('iam:PutRolePolicy', roles)).to.equal(false);
    expect(
      await deploy('iam:AttachRolePolicy', roles, {
        'iam:PermissionsBoundary': boundary,
        'iam:PolicyARN': 'arn:aws:iam::aws:policy/AdministratorAccess',
      }),
    ).to.equal(false);
    expect(await deploy('iam:DeleteRolePermissionsBoundary', roles)).to.equal(false);
  });

  it('can change neither the boundary nor itself', async () => {
    const own = arn('role/tablewright-dev-deploy');
    for (const action of ['iam:CreatePolicyVersion', 'iam:DeletePolicy']) {
      expect(await deploy(action, boundary), action).to.equal(false);
      expect(await deploy(action, arn('policy/tablewright-dev-deploy-access')), action).to.equal(false);
      expect(await deploy(action, arn('policy/tablewright-dev-exporter')), action).to.equal(true);
    }
    expect(
      await deploy('iam:AttachRolePolicy', own, { 'iam:PermissionsBoundary': boundary, 'iam:PolicyARN': boundary }),
    ).to.equal(false);
    expect(await deploy('iam:UpdateAssumeRolePolicy', own)).to.equal(false);
    expect(await deploy('iam:PassRole', own, { 'iam:PassedToService': 'lambda.amazonaws.com' })).to.equal(false);
  });

  it('makes all that the program registers: the calls of Pulumi’s provider, by the names of the stack', async () => {
    const at = (service: string, resource: string) => `arn:aws:${service}:${region}:${account}:${resource}`;
    const ours = { 'aws:ResourceTag/Environment': 'dev' };
    const calls: readonly (readonly [actions: string, resource: string, context?: Readonly<Record<string, string>>])[] = [
      ['dynamodb:UpdateTable UpdateTimeToLive UpdateContinuousBackups TagResource', at('dynamodb', 'table/orders-dev')],
      ['dynamodb:UpdateContributorInsights DescribeContributorInsights', at('dynamodb', 'table/orders-dev')],
      ['application-autoscaling:DescribeScalableTargets DescribeScalingPolicies', '*'],
      [
        'application-autoscaling:RegisterScalableTarget PutScalingPolicy ListTagsForResource TagResource',
        at('application-autoscaling', 'scalable-target/0ec5'),
      ],
      ['cloudwatch:PutMetricAlarm DeleteAlarms', at('cloudwatch', 'alarm:TargetTracking-table/orders-dev-AlarmHigh-1')],
      ['cloudwatch:PutMetricAlarm DescribeAlarms TagResource', at('cloudwatch', 'alarm:tablewright-dev-user-errors')],
      [
        'iam:CreateServiceLinkedRole',
        arn('role/aws-service-role/contributorinsights.dynamodb.amazonaws.com/AWSServiceRoleForX'),
        { 'iam:AWSServiceName': 'contributorinsights.dynamodb.amazonaws.com' },
      ],
      ['kms:CreateAlias', at('kms', 'alias/tablewright-dev')],
      ['sns:CreateTopic SetTopicAttributes Subscribe', at('sns', 'tablewright-dev-alarms')],
      ['s3:CreateBucket PutBucketPolicy PutLifecycleConfiguration', `arn:aws:s3:::tablewright-dev-exports-${account}-${region}`],
      ['backup:CreateBackupVault PutBackupVaultLockConfiguration', at('backup', 'backup-vault:tablewright-dev-backups')],
      ['lambda:CreateFunction UpdateFunctionCode', at('lambda', 'function:tablewright-dev-drift')],
      ['scheduler:CreateSchedule', at('scheduler', 'schedule/default/tablewright-dev-drift')],
      ['logs:CreateLogGroup PutRetentionPolicy', at('logs', 'log-group:/aws/lambda/tablewright-dev-drift')],
      ['iam:CreatePolicy CreatePolicyVersion GetPolicy', arn('policy/tablewright-dev-exporter')],
      ['iam:TagRole UpdateAssumeRolePolicy', roles, ours],
    ];
    for (const [actions, resource, context] of calls) {
      const [first = '', ...others] = actions.split(' ');
      const service = first.split(':')[0];
      for (const action of [first, ...others.map((name) => `${service}:${name}`)]) {
        expect(await deploy(action, resource, context), `${action} ${resource}`).to.equal(true);
      }
    }
  });

  it('gets at no other stack, also where the name of one begins as this one’s', async () => {
    const theirs = { 'aws:ResourceTag/Environment': 'dev-eu' };
    for (const action of ['iam:UpdateAssumeRolePolicy', 'iam:DeleteRole', 'iam:TagRole']) {
      expect(await deploy(action, arn('role/tablewright-dev-eu-worker'), theirs), action).to.equal(false);
      expect(await deploy(action, arn('role/tablewright-dev-eu-deploy')), action).to.equal(false);
    }
    for (const name of ['boundary', 'deploy-access']) {
      expect(await deploy('iam:CreatePolicyVersion', arn(`policy/tablewright-dev-eu-${name}`)), name).to.equal(false);
    }
    expect(await deploy('iam:CreatePolicyVersion', arn('policy/tablewright-dev-eu-exporter'), theirs)).to.equal(false);
  });

  it('leaves all that the stack’s policies grant within the boundary', async () => {
    const refused: string[] = [];
    for (const { name } of ofType(resources, policyType).filter((one) => !/^(boundary|deploy-)/.test(one.name))) {
      const { Statement } = document(name) as { readonly Statement: readonly Granted[] };
      for (const { Action, Resource } of Statement) {
        for (const action of [Action].flat().filter((one) => !isNewer(one) && !leftOut.test(one))) {
          for (const resource of [Resource].flat().filter((one) => !(action.startsWith('logs:') && one.endsWith(':*')))) {
            const some = resource === '*' ? '*' : resource.replaceAll('*', 'x');
            if (!(await allows(['boundary'], action, some))) refused.push(`${name} ${action} ${resource}`);
          }
        }
      }
    }
    expect(refused).to.deep.equal([]);
  });

  it('leaves what the stack’s own policies need within the boundary, and IAM outside', async () => {
    const within = (action: string, resource: string) => allows(['boundary'], action, resource);
    const table = `arn:aws:dynamodb:${region}:${account}:table/orders-dev`;
    expect(await within('dynamodb:GetItem', table)).to.equal(true);
    expect(await within('dynamodb:Query', `${table}/index/orders_by_owner`)).to.equal(true);
    expect(await within('dynamodb:RestoreTableToPointInTime', `${table}-restored`)).to.equal(true);
    expect(await within('dynamodb:GetItem', `arn:aws:dynamodb:${region}:${account}:table/orders`)).to.equal(false);
    expect(await within('iam:CreateRole', roles)).to.equal(false);
    expect(ofType(resources, policyType).every(({ inputs }) => String(inputs.policy).length <= 6_144)).to.equal(true);
  });
});
