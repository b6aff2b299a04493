import { expect } from 'chai';
import { policiesOf } from '../../infra/access/policies.ts';
import { rolesOf } from '../../infra/access/roles.ts';
import { checkNames, derivedNames } from '../../infra/check-names.ts';
import { tables } from '../support/project.ts';
import { place } from './support/fake-aws.ts';
import { fullStack } from './support/full-stack.ts';
import { runMocked } from './support/mocked-run.ts';
import { ofType, type Registered } from './support/registered.ts';
import { anyFile } from './support/setting-changes/change.ts';
import { configOf, type Settings, stackFile } from './support/stack-file.ts';
import { thrown } from './support/thrown.ts';

/** With all that has a name of its own. */
const everything: Settings = {
  ...fullStack,
  'tablewright:schedules': { bundle: anyFile, archive: { enabled: true }, drift: { enabled: true } },
  'tablewright:runner': { enabled: true },
};

function namesOf(stack: string, settings: Settings = {}) {
  const config = { ...configOf('prod', settings), stack };
  const policies = policiesOf(tables, config, place);
  return derivedNames(tables, config, policies, rolesOf(config, place, policies), place);
}

const problems = (stack: string) => thrown(() => checkNames(stack, namesOf(stack)));

describe('the name of a stack', () => {
  it('with a dot is refused, with every service that would refuse it', () => {
    const error = problems('team.prod');
    const words = 'letters, digits, underscores and hyphens';
    expect([error.code, error.message]).to.deep.equal([
      'BAD_CONFIG',
      [
        'The name of the stack team.prod leads to names that AWS refuses',
        `  - key alias alias/tablewright-team.prod: expected ${words}, found alias/tablewright-team.prod`,
        `  - topic tablewright-team.prod-alarms: expected ${words}, found tablewright-team.prod-alarms`,
        `  - dashboard tablewright-team.prod-order-management: expected ${words}, found tablewright-team.prod-order-management`,
        `  - backup vault tablewright-team.prod-backups: expected ${words}, found tablewright-team.prod-backups`,
      ].join('\n'),
    ]);
    expect(error.next).to.match(
      /^Give the stack a name of .* 'npx pulumi stack rename NAME -s team\.prod', and rename its file\./,
    );
  });

  it('is refused at the first character that makes one of the derived names too long', () => {
    // `tablewright-` and `-backups` take 20 of the 50 characters of a backup vault, `-alarms` and the others leave more.
    checkNames('x'.repeat(30), namesOf('x'.repeat(30)));
    expect(problems('x'.repeat(31)).problems).to.deep.equal([
      `backup vault tablewright-${'x'.repeat(31)}-backups: expected at most 50 characters, found 51`,
    ]);
    expect(problems('x'.repeat(45)).problems.map((text) => text.split(' tablewright')[0])).to.deep.equal([
      'backup vault',
      'role',
    ]);
    expect(problems('x'.repeat(245)).problems.map((text) => text.replace(/ \S+:.*/, ''))).to.deep.equal([
      'table',
      'key alias',
      'topic',
      'dashboard',
      'backup vault',
      'role',
      'policy',
      'alarm',
    ]);
  });

  it('is refused where only a role of a schedule or a pipeline gets too long by it', () => {
    const bare = { ...everything, 'tablewright:backups': { enabled: false } };
    const roles = (stack: string) => thrown(() => checkNames(stack, namesOf(stack, bare))).problems;
    // `tablewright-` and `-archive-schedule` take 29 of a role's 64 characters.
    checkNames('x'.repeat(35), namesOf('x'.repeat(35), bare));
    expect(roles('x'.repeat(36))).to.deep.equal([
      `role tablewright-${'x'.repeat(36)}-archive-schedule: expected at most 64 characters, found 65`,
    ]);
    expect(roles('x'.repeat(53)).map((text) => text.split(' tablewright')[0])).to.include.members(['function', 'schedule']);
  });

  it('is looked at wherever a registered name follows from it', async () => {
    const limited: Readonly<Record<string, string>> = {
      'aws:dynamodb/table:Table': 'name',
      'aws:kms/alias:Alias': 'name',
      'aws:sns/topic:Topic': 'name',
      'aws:cloudwatch/metricAlarm:MetricAlarm': 'name',
      'aws:cloudwatch/dashboard:Dashboard': 'dashboardName',
      'aws:iam/role:Role': 'name',
      'aws:iam/policy:Policy': 'name',
      'aws:backup/vault:Vault': 'name',
      'aws:backup/plan:Plan': 'name',
      'aws:backup/selection:Selection': 'name',
      'aws:lambda/function:Function': 'name',
      'aws:scheduler/schedule:Schedule': 'name',
      'aws:sfn/stateMachine:StateMachine': 'name',
    };
    // CloudWatch Logs takes 512 characters (CreateLogGroup): whatever a function or a machine may be called.
    const longer = ['aws:cloudwatch/logGroup:LogGroup'];
    const { resources } = await runMocked('prod', everything);
    const registered = Object.entries(limited).flatMap(([type, key]) =>
      ofType(resources, type).map(({ inputs }) => String(inputs[key])),
    );
    expect(Object.keys(limited).filter((type) => ofType(resources, type).length === 0)).to.deep.equal([]);
    const looked = new Set(namesOf('prod', everything).map(({ name }) => name));
    expect(registered.filter((name) => !looked.has(name))).to.deep.equal([]);
    const unlimited = (resource: Registered) =>
      !(resource.type in limited) &&
      !longer.includes(resource.type) &&
      JSON.stringify(resource.inputs.name ?? '').includes('tablewright-prod');
    expect(resources.filter(unlimited).map(({ type }) => type)).to.deep.equal([]);
  });

  it('ends the program before anything is registered', async () => {
    const settings = stackFile('prod');
    const error = await runMocked('team.prod', settings).catch((reason: Error) => reason);
    expect(String(error)).to.contain('BAD_CONFIG: The name of the stack team.prod leads to names that AWS refuses');
  });
});
