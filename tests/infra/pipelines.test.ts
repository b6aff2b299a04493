import { runSimulation } from '@cloud-copilot/iam-simulate';
import { expect } from 'chai';
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
