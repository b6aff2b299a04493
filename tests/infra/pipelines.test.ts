import { runSimulation } from '@cloud-copilot/iam-simulate';
import { expect } from 'chai';
import { importSuffix, restoreSuffix } from '../../tables/model/stack/made-table-names.ts';
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

const farVault = 'arn:aws:backup:eu-west-1:444455556666:backup-vault:far';
const backups = { enabled: true, copyTo: { vaultArn: farVault } };

/** What a resource of this stack and one of somebody else say of themselves. */
const ours = { 'aws:ResourceTag/Environment': 'dev', 'aws:ResourceTag/Service': 'tablewright' };
const asOurs = { 'aws:RequestTag/Environment': 'dev', 'aws:RequestTag/Service': 'tablewright' };
const theirs = { 'aws:ResourceTag/Environment': 'dev', 'aws:ResourceTag/Service': 'payroll' };

/** As KMS gives it to a key for which nobody says another: the account's policies decide. */
const usualKeyPolicy = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { AWS: `arn:aws:iam::${account}:root` }, Action: 'kms:*', Resource: '*' }],
};

type Conditions = Readonly<Record<string, string | string[]>>;

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
    ({ resources } = await runMocked('dev', { ...stackFile('dev'), 'tablewright:ci': ci, 'tablewright:backups': backups }));
  });

  const document = (name: string) => JSON.parse(String(named(resources, policyType, name).inputs.policy));

  async function allows(
    policies: readonly string[],
    action: string,
    resource: string,
    context: Conditions = {},
  ): Promise<boolean> {
    const result = await runSimulation(
      {
        request: {
          principal: arn('role/tablewright-dev-deploy'),
          action,
          resource: { resource, accountId: account },
          contextVariables: { 'aws:RequestedRegion': region, ...context },
        },
        identityPolicies: policies.map((name) => ({ name, policy: document(name) })),
        serviceControlPolicies: [],
        resourceControlPolicies: [],
        ...(resource.includes(':key/') ? { resourcePolicy: usualKeyPolicy } : {}),
      },
      {},
    );
    if (result.resultType === 'error') throw new Error(`${action}: ${JSON.stringify(result.errors)}`);
    return result.overallResult === 'Allowed';
  }

  const deploy = (action: string, resource: string, context?: Conditions) =>
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
      expect(await deploy(action, arn('policy/tablewright-dev-exporter'), ours), action).to.equal(true);
    }
    expect(
      await deploy('iam:AttachRolePolicy', own, { 'iam:PermissionsBoundary': boundary, 'iam:PolicyARN': boundary }),
    ).to.equal(false);
    expect(await deploy('iam:UpdateAssumeRolePolicy', own, { ...ours, 'iam:PermissionsBoundary': boundary })).to.equal(false);
    // Not even before they are there: those of a stack to come are an administrator's, too.
    for (const name of ['dev-boundary', 'dev-eu-boundary', 'dev-eu-deploy-access']) {
      expect(await deploy('iam:CreatePolicy', arn(`policy/tablewright-${name}`), ours), name).to.equal(false);
    }
    for (const name of ['dev-deploy', 'dev-eu-deploy']) {
      const bounded = { 'iam:PermissionsBoundary': boundary };
      expect(await deploy('iam:CreateRole', arn(`role/tablewright-${name}`), bounded), name).to.equal(false);
    }
    expect(await deploy('iam:PassRole', own, { 'iam:PassedToService': 'lambda.amazonaws.com' })).to.equal(false);
  });

  it('makes all that the program registers: the calls of Pulumi’s provider, by the names of the stack', async () => {
    const at = (service: string, resource: string) => `arn:aws:${service}:${region}:${account}:${resource}`;
    const bounded = { ...ours, 'iam:PermissionsBoundary': boundary };
    const calls: readonly (readonly [actions: string, resource: string, context?: Conditions])[] = [
      ['dynamodb:UpdateTable UpdateTimeToLive UpdateContinuousBackups TagResource', at('dynamodb', 'table/orders-dev')],
      ['dynamodb:UpdateContributorInsights DescribeContributorInsights', at('dynamodb', 'table/orders-dev')],
      ['application-autoscaling:DescribeScalableTargets DescribeScalingPolicies', '*'],
      [
        'application-autoscaling:RegisterScalableTarget PutScalingPolicy ListTagsForResource TagResource',
        at('application-autoscaling', 'scalable-target/0ec5'),
      ],
      ['cloudwatch:PutMetricAlarm DeleteAlarms', at('cloudwatch', 'alarm:TargetTracking-table/orders-dev-AlarmHigh-1')],
      ['cloudwatch:DescribeAlarms TagResource', at('cloudwatch', 'alarm:tablewright-dev-user-errors')],
      [
        'cloudwatch:PutMetricAlarm',
        at('cloudwatch', 'alarm:tablewright-dev-user-errors'),
        { 'cloudwatch:AlarmActions': [at('sns', 'tablewright-dev-alarms')] },
      ],
      [
        'iam:CreateServiceLinkedRole',
        arn('role/aws-service-role/contributorinsights.dynamodb.amazonaws.com/AWSServiceRoleForX'),
        { 'iam:AWSServiceName': 'contributorinsights.dynamodb.amazonaws.com' },
      ],
      ['kms:PutKeyPolicy TagResource', at('kms', 'key/1'), { 'kms:ResourceAliases': ['alias/tablewright-dev'] }],
      ['sns:CreateTopic SetTopicAttributes Subscribe', at('sns', 'tablewright-dev-alarms')],
      [
        's3:CreateBucket PutBucketPolicy PutLifecycleConfiguration TagResource UntagResource ListTagsForResource',
        `arn:aws:s3:::tablewright-dev-exports-${account}-${region}`,
      ],
      // What AWS Backup asks of whoever makes a vault with a customer's key.
      [
        'kms:CreateGrant RetireGrant Decrypt GenerateDataKey DescribeKey',
        at('kms', 'key/1'),
        { 'kms:ResourceAliases': ['alias/tablewright-dev'], 'kms:ViaService': `backup.${region}.amazonaws.com` },
      ],
      ['backup:CreateBackupVault PutBackupVaultLockConfiguration', at('backup', 'backup-vault:tablewright-dev-backups')],
      ['backup:CreateBackupPlan', at('backup', 'backup-plan:1'), asOurs],
      ['backup:UpdateBackupPlan CreateBackupSelection', at('backup', 'backup-plan:1'), ours],
      ['lambda:CreateFunction UpdateFunctionCode', at('lambda', 'function:tablewright-dev-drift')],
      ['scheduler:CreateSchedule', at('scheduler', 'schedule/default/tablewright-dev-drift')],
      ['logs:CreateLogGroup PutRetentionPolicy', at('logs', 'log-group:/aws/lambda/tablewright-dev-drift')],
      ['iam:CreatePolicy TagPolicy GetPolicy', arn('policy/tablewright-dev-exporter')],
      ['iam:CreatePolicyVersion', arn('policy/tablewright-dev-exporter'), ours],
      ['iam:TagRole UpdateAssumeRolePolicy DeleteRole', roles, bounded],
    ];
    for (const [actions, resource, context] of calls) {
      const [first = '', ...others] = actions.split(' ');
      const service = first.split(':')[0];
      for (const action of [first, ...others.map((name) => `${service}:${name}`)]) {
        expect(await deploy(action, resource, context), `${action} ${resource}`).to.equal(true);
      }
    }
  });

  it('passes the roles that AWS takes for the stack, and no other whose name begins as theirs', async () => {
    const taken = ['backups', 'archive', 'archive-schedule', 'drift', 'drift-schedule'];
    const to = { 'iam:PassedToService': 'lambda.amazonaws.com' };
    for (const name of taken) expect(await deploy('iam:PassRole', arn(`role/tablewright-dev-${name}`), to), name).to.equal(true);
    for (const name of ['dev-eu-archive', 'dev-admin', 'dev-deploy', 'dev-migrate', 'dev']) {
      expect(await deploy('iam:PassRole', arn(`role/tablewright-${name}`), to), name).to.equal(false);
    }
    const passed = ofType(resources, 'aws:backup/selection:Selection').map(({ inputs }) => String(inputs.iamRoleArn));
    expect(passed).to.deep.equal([arn('role/tablewright-dev-backups')]);
  });

  it('takes over nothing of somebody else’s by a tag, or because it has none', async () => {
    const at = (service: string, resource: string) => `arn:aws:${service}:${region}:${account}:${resource}`;
    const key = at('kms', 'key/1');
    const through = { 'kms:ViaService': `s3.${region}.amazonaws.com` };
    const attempts: readonly (readonly [action: string, resource: string, context?: Conditions])[] = [
      // A key with the stack's tags and another alias, or none; and the tags themselves.
      ['kms:PutKeyPolicy', key, ours],
      ['kms:PutKeyPolicy', key, { ...ours, 'kms:ResourceAliases': ['alias/payroll'] }],
      ['kms:TagResource', key, asOurs],
      ['kms:CreateKey', '*', asOurs],
      ['kms:Decrypt', key, { ...ours, ...through, 'kms:ResourceAliases': ['alias/payroll'] }],
      // The stack's alias on it.
      ['kms:CreateAlias', key, ours],
      ['kms:UpdateAlias', at('kms', 'alias/tablewright-dev')],
      // Plans of other teams.
      ['backup:DeleteBackupPlan', at('backup', 'backup-plan:1')],
      ['backup:UpdateBackupPlan', at('backup', 'backup-plan:1'), theirs],
      ['backup:DeleteRecoveryPoint', at('backup', 'recovery-point:1')],
      [
        'application-autoscaling:DeregisterScalableTarget',
        at('application-autoscaling', 'scalable-target/1'),
        {
          'aws:ResourceTag/Environment': 'prod',
        },
      ],
      // A role of the stack's name that somebody made by hand, without the boundary.
      ['iam:UpdateAssumeRolePolicy', arn('role/tablewright-dev-admin')],
      ['iam:UpdateAssumeRolePolicy', arn('role/tablewright-dev-admin'), ours],
      ['iam:CreatePolicyVersion', arn('policy/tablewright-dev-admin')],
      ['iam:SetDefaultPolicyVersion', arn('policy/tablewright-dev-exporter'), ours],
      [
        'cloudwatch:PutMetricAlarm',
        at('cloudwatch', 'alarm:tablewright-dev-x'),
        { 'cloudwatch:AlarmActions': [at('sns', 'tablewright-dev-alarms'), `arn:aws:automate:${region}:ec2:terminate`] },
      ],
      // Everything else that makes somebody more than he is.
      ...['iam:CreateUser', 'iam:CreateAccessKey', 'iam:AttachUserPolicy', 'iam:PutUserPolicy'].map(
        (action) => [action, arn('user/tablewright-dev-me')] as const,
      ),
      ['iam:UpdateOpenIDConnectProviderThumbprint', ci.provider],
      ['iam:AddClientIDToOpenIDConnectProvider', ci.provider],
      ['sts:AssumeRole', roles],
      ['lambda:UpdateFunctionCode', at('lambda', 'function:payroll')],
    ];
    const allowed: string[] = [];
    for (const [action, resource, context] of attempts) {
      if (await deploy(action, resource, context)) allowed.push(`${action} ${resource} ${JSON.stringify(context ?? {})}`);
    }
    expect(allowed).to.deep.equal([]);
  });

  it('gets at no other stack, also where the name of one begins as this one’s', async () => {
    const further = { 'aws:ResourceTag/Environment': 'dev-eu', 'iam:PermissionsBoundary': boundary };
    for (const action of ['iam:UpdateAssumeRolePolicy', 'iam:DeleteRole', 'iam:TagRole']) {
      expect(await deploy(action, arn('role/tablewright-dev-eu-worker'), further), action).to.equal(false);
      expect(await deploy(action, arn('role/tablewright-dev-eu-deploy')), action).to.equal(false);
    }
    for (const name of ['boundary', 'deploy-access']) {
      expect(await deploy('iam:CreatePolicyVersion', arn(`policy/tablewright-dev-eu-${name}`)), name).to.equal(false);
    }
    expect(await deploy('iam:CreatePolicyVersion', arn('policy/tablewright-dev-eu-exporter'), further)).to.equal(false);
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

  it('leaves AWS Backup what it needs to back up and copy, and nobody the backups of others', async () => {
    const at = (resource: string) => `arn:aws:backup:${region}:${account}:${resource}`;
    const within = (action: string, resource: string, context?: Conditions) => allows(['boundary'], action, resource, context);
    const table = `arn:aws:dynamodb:${region}:${account}:table/orders-dev`;
    // By AWSBackupServiceRolePolicyForBackup and …ForRestores, what of them is about DynamoDB.
    for (const action of ['StartAwsBackupJob', 'CreateBackup', 'ListTagsOfResource', 'RestoreTableFromAwsBackup']) {
      expect(await within(`dynamodb:${action}`, table), action).to.equal(true);
    }
    expect(await within('dynamodb:DeleteBackup', `${table}/backup/1`)).to.equal(true);
    const key = `arn:aws:kms:${region}:${account}:key/1`;
    expect(await within('kms:DescribeKey', key)).to.equal(true);
    expect(await within('kms:CreateGrant', key, { 'kms:GrantIsForAWSResource': 'true' })).to.equal(true);
    expect(await within('kms:CreateGrant', key)).to.equal(false);
    // The simulator cannot tell which kind of resource is tagged.
    expect(document('boundary').Statement).to.deep.include({
      Sid: 'RecoveryPoints',
      Effect: 'Allow',
      Action: ['backup:TagResource', 'backup:CopyFromBackupVault'],
      Resource: [at('recovery-point:*')],
    });
    expect(await within('backup:CopyFromBackupVault', at('recovery-point:1'))).to.equal(true);
    for (const vault of [at('backup-vault:tablewright-dev-backups'), farVault]) {
      expect(await within('backup:CopyIntoBackupVault', vault), vault).to.equal(true);
    }
    expect(await within('backup:CopyIntoBackupVault', at('backup-vault:payroll'))).to.equal(false);
    for (const action of ['DeleteRecoveryPoint', 'UpdateRecoveryPointLifecycle', 'StartRestoreJob']) {
      expect(await within(`backup:${action}`, at('recovery-point:1')), action).to.equal(false);
    }
    expect(await within('backup:DeleteBackupVaultLockConfiguration', at('backup-vault:tablewright-dev-backups'))).to.equal(false);
  });

  it('leaves what the stack’s own policies need within the boundary, and IAM outside', async () => {
    const within = (action: string, resource: string) => allows(['boundary'], action, resource);
    const table = `arn:aws:dynamodb:${region}:${account}:table/orders-dev`;
    expect(await within('dynamodb:GetItem', table)).to.equal(true);
    expect(await within('dynamodb:Query', `${table}/index/orders_by_owner`)).to.equal(true);
    expect(await within('dynamodb:RestoreTableToPointInTime', `${table}${restoreSuffix}`)).to.equal(true);
    expect(await within('dynamodb:ImportTable', `${table}${importSuffix}-2`)).to.equal(true);
    for (const other of [`${table}-eu`, `${table}2`, `${table}-eu-restored`, table.replace(account, '444455556666')]) {
      expect(await within('dynamodb:GetItem', other), other).to.equal(false);
    }
    const far = { 'aws:RequestedRegion': 'eu-west-1' };
    expect(await allows(['boundary'], 'dynamodb:GetItem', table.replace(region, 'eu-west-1'), far)).to.equal(false);
    expect(await within('dynamodb:GetItem', `arn:aws:dynamodb:${region}:${account}:table/orders`)).to.equal(false);
    expect(await within('iam:CreateRole', roles)).to.equal(false);
    expect(ofType(resources, policyType).every(({ inputs }) => String(inputs.policy).length <= 6_144)).to.equal(true);
  });
});
