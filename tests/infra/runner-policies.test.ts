import { fileURLToPath } from 'node:url';
import { runSimulation } from '@cloud-copilot/iam-simulate';
import { expect } from 'chai';
import { place } from './support/fake-aws.ts';
import { runMocked } from './support/mocked-run.ts';
import { named, type Registered } from './support/registered.ts';
import { stackFile } from './support/stack-file.ts';

const { account, region } = place;
const at = (service: string, resource: string) => `arn:aws:${service}:${region}:${account}:${resource}`;
const arn = (resource: string) => `arn:aws:iam::${account}:${resource}`;
const ci = {
  provider: arn('oidc-provider/token.actions.githubusercontent.com'),
  deploy: ['repo:desk/trading:environment:dev'],
};
const settings = {
  'tablewright:ci': ci,
  'tablewright:schedules': { bundle: fileURLToPath(import.meta.url) },
  'tablewright:runner': { enabled: true, reservedConcurrency: 40 },
};

const own = 'tablewright-dev-runner';
const machine = at('states', `stateMachine:${own}`);
const version = at('lambda', `function:${own}:7`);
const workerLog = at('logs', `log-group:/aws/lambda/${own}:log-stream:x`);

type Ask = readonly [action: string, resource: string, context?: Readonly<Record<string, string>>];

describe('the policies of a runner', function () {
  this.timeout(120_000);
  let resources: readonly Registered[] = [];

  before(async () => {
    ({ resources } = await runMocked('dev', { ...stackFile('dev'), ...settings }));
  });

  const inline = (name: string) => named(resources, 'aws:iam/rolePolicy:RolePolicy', name);
  const managed = (name: string) => named(resources, 'aws:iam/policy:Policy', name);

  async function allowed(held: readonly Registered[], asks: readonly Ask[]): Promise<readonly string[]> {
    const identityPolicies = held.map(({ name, inputs }) => ({ name, policy: JSON.parse(String(inputs.policy)) }));
    const found: string[] = [];
    for (const [action, resource, contextVariables = {}] of asks) {
      const request = {
        principal: arn('role/under-test'),
        action,
        resource: { resource, accountId: account },
        // In every request, as AWS has it.
        contextVariables: { 'aws:RequestedRegion': region, ...contextVariables },
      };
      const decided = { request, identityPolicies, serviceControlPolicies: [], resourceControlPolicies: [] };
      const result = await runSimulation(decided, {});
      if (result.resultType === 'error') throw new Error(`${action}: ${JSON.stringify(result.errors)}`);
      if (result.overallResult === 'Allowed') found.push(`${action} ${resource}`);
    }
    return found;
  }
  const shown = (asks: readonly Ask[]) => asks.map(([action, resource]) => `${action} ${resource}`);

  it('let the machine invoke versions of its function, start itself, see and stop its own executions, and no more', async () => {
    const needs: readonly Ask[] = [
      ['lambda:InvokeFunction', version],
      ['states:StartExecution', machine],
      ['states:DescribeExecution', at('states', `execution:${own}:migrate-1`)],
      ['states:StopExecution', at('states', `execution:${own}/Pass:child-1`)],
      ['logs:CreateLogDelivery', '*'],
      ['logs:PutResourcePolicy', '*'],
    ];
    expect(await allowed([inline('runner-machine')], needs)).to.deep.equal(shown(needs));
    expect(await allowed([managed('boundary')], needs), 'within the boundary').to.deep.equal(shown(needs));
    const others: readonly Ask[] = [
      ['lambda:InvokeFunction', at('lambda', `function:${own}`)],
      ['lambda:InvokeFunction', at('lambda', 'function:tablewright-prod-runner:7')],
      ['states:StartExecution', at('states', 'stateMachine:tablewright-prod-runner')],
      ['states:StopExecution', at('states', 'execution:tablewright-prod-runner:migrate-1')],
      ['states:UpdateStateMachine', machine],
      ['dynamodb:GetItem', at('dynamodb', 'table/orders-dev')],
      ['logs:PutLogEvents', workerLog],
    ];
    expect(await allowed([inline('runner-machine')], others)).to.deep.equal([]);
  });

  it('let the worker do what a migration does and write its own log, and invoke or stop nothing', async () => {
    const held = [inline('runner'), managed('migration-runner')];
    const needs: readonly Ask[] = [
      ['logs:PutLogEvents', workerLog],
      ['logs:CreateLogStream', workerLog],
      ['dynamodb:Scan', at('dynamodb', 'table/orders-dev')],
      ['dynamodb:PartiQLUpdate', at('dynamodb', 'table/orders-dev')],
      ['dynamodb:ConditionCheckItem', at('dynamodb', 'table/tablewright-ledger-dev')],
    ];
    expect(await allowed(held, needs)).to.deep.equal(shown(needs));
    expect(await allowed([managed('boundary')], needs.slice(2)), 'within the boundary').to.deep.equal(shown(needs.slice(2)));
    const others: readonly Ask[] = [
      ['logs:PutLogEvents', at('logs', 'log-group:/aws/lambda/payroll:log-stream:x')],
      ['lambda:InvokeFunction', version],
      ['states:StopExecution', at('states', `execution:${own}:migrate-1`)],
      ['states:RedriveExecution', at('states', `execution:${own}:migrate-1`)],
      ['dynamodb:DeleteTable', at('dynamodb', 'table/orders-dev')],
    ];
    expect(await allowed(held, others)).to.deep.equal([]);
  });

  it('let whoever migrates start and watch executions of this machine alone', async () => {
    const needs: readonly Ask[] = [
      ['states:StartExecution', machine],
      ['states:ListExecutions', machine],
      ['states:DescribeStateMachine', machine],
      ['states:DescribeExecution', at('states', `execution:${own}:migrate-1`)],
    ];
    expect(await allowed([managed('migration-runner')], needs)).to.deep.equal(shown(needs));
    const others: readonly Ask[] = [['states:StartExecution', at('states', 'stateMachine:tablewright-prod-runner')]];
    expect(await allowed([managed('migration-runner')], others)).to.deep.equal([]);
  });

  it('let a pipeline deploy it: function and versions, machine, logs, and the two roles passed on', async () => {
    const held = ['deploy-tables', 'deploy-services', 'deploy-access'].map(managed);
    const to = (service: string) => ({ 'iam:PassedToService': `${service}.amazonaws.com` });
    const needs: readonly Ask[] = [
      ['lambda:CreateFunction', at('lambda', `function:${own}`)],
      ['lambda:PublishVersion', at('lambda', `function:${own}`)],
      ['lambda:PutFunctionConcurrency', at('lambda', `function:${own}`)],
      ['states:CreateStateMachine', machine],
      ['states:UpdateStateMachine', machine],
      ['states:TagResource', machine],
      ['states:ValidateStateMachineDefinition', '*'],
      ['logs:CreateLogGroup', at('logs', `log-group:/aws/vendedlogs/states/${own}`)],
      ['logs:PutRetentionPolicy', at('logs', `log-group:/aws/lambda/${own}`)],
      ['iam:PassRole', arn(`role/${own}`), to('lambda')],
      ['iam:PassRole', arn(`role/${own}-machine`), to('states')],
    ];
    expect(await allowed(held, needs)).to.deep.equal(shown(needs));
    expect(await allowed(held, [['states:DeleteStateMachine', at('states', 'stateMachine:payroll')]])).to.deep.equal([]);
  });
});
