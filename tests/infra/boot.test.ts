import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { projectName } from '../../tables/model/stack/stack-config.ts';
import { tables } from '../support/project.ts';
import { alarmProblems } from './support/alarm-check.ts';
import { boot, bootTimeoutMs, project } from './support/boot.ts';
import { bootedStack, mockedStack } from './support/booted-stacks.ts';
import { fullStack } from './support/full-stack.ts';
import { ruleProblems } from './support/policy-check.ts';
import type { Registered } from './support/registered.ts';
import { configOf, stackFile } from './support/stack-file.ts';
import { tableProblems } from './support/table-check.ts';

const counts = { dev: 195, prod: 297 };

const alarm = (table: string, what: string) =>
  `aws:cloudwatch/metricAlarm:MetricAlarm ${table}-${what} tablewright:dynamodb:DynamoTable::${table}`;

/** What stacks of the first release had and later ones have not, and why. */
const retired = [
  // Its items live seven days and DynamoDB takes two more; the alarm sees seven (docs/configuration.md).
  alarm('crypto-scan-history', 'ttl-deletions'),
];

/** One alarm over all operations took the place of these two, which let three read and three write errors go unheard. */
const systemErrors = tables.flatMap(({ name }) => [alarm(name, 'read-system-errors'), alarm(name, 'write-system-errors')]);

/** What later releases added: four policies; in prod an alarm on errors per table, those on partitions, one on backups. */
const added = { dev: 4, prod: 4 + tables.length + 2 * (tables.length + 19) + 1 };

for (const stack of ['dev', 'prod'] as const) {
  describe(`the program by Pulumi's own entry point, stack ${stack}`, function () {
    this.timeout(bootTimeoutMs);

    it('ends well, silently, without a warning or a deprecation', async () => {
      const { exitCode, printed, logs } = await bootedStack(stack);
      expect(logs.filter(({ severity }) => severity !== 'debug')).to.deep.equal([]);
      expect(printed).to.equal('');
      expect(exitCode).to.equal(0);
    });

    it('registers every resource that the mocks saw, with the same inputs and options', async () => {
      const [booted, mocked] = await Promise.all([bootedStack(stack), mockedStack(stack)]);
      expect(booted.resources).to.have.lengthOf(counts[stack]);
      expect(comparable(booted.resources)).to.deep.equal(comparable(mocked.resources));
    });

    it('keeps every resource that stacks of the first release have: each old URN is one of today, or the alias of one', async () => {
      const { resources } = await bootedStack(stack);
      const { kept, lost } = takenOver(
        deployed(`${stack}.txt`).map((line) => urnOfIdentity(stack, line)),
        resources,
      );
      const gone = stack === 'prod' ? [...retired, ...systemErrors] : retired;
      expect(lost).to.have.members(gone.map((line) => urnOfIdentity(stack, line)));
      expect(resources.length - new Set(kept.values()).size, 'new ones').to.equal(added[stack] + 1);
    });

    it('passes the checks of tables, alarms and rules', async () => {
      const { resources } = await bootedStack(stack);
      expect(tableProblems(resources, configOf(stack))).to.deep.equal([]);
      expect(alarmProblems(resources)).to.deep.equal([]);
      expect(ruleProblems(resources, stack === 'prod')).to.deep.equal([]);
    });

    it('hands the same outputs to the engine as under mocks', async () => {
      const [booted, mocked] = await Promise.all([bootedStack(stack), mockedStack(stack)]);
      expect(booted.outputs).to.deep.equal(mocked.outputs);
    });

    it('asks AWS for nothing but the account, the partition and the region', async () => {
      const { invokes } = await bootedStack(stack);
      expect(invokes).to.have.members([
        'aws:index/getCallerIdentity:getCallerIdentity',
        'aws:index/getPartition:getPartition',
        'aws:index/getRegion:getRegion',
      ]);
    });
  });
}

describe('a stack with everything switched on, as it was deployed before it had a component', function () {
  this.timeout(bootTimeoutMs);

  let resources: readonly Registered[] = [];
  before(async () => {
    const booted = await boot('prod', fullStack);
    expect(booted.exitCode).to.equal(0);
    resources = booted.resources;
  });

  it('keeps each of its resources under the new parent, none twice, and gets nothing new but the component', () => {
    const old = deployed('full-urns.txt');
    const { kept, lost } = takenOver(old, resources);
    expect(lost).to.deep.equal([]);
    expect(new Set(kept.values()).size, 'two old ones are not one new').to.equal(old.length);
    const fresh = resources.filter(({ urn }) => ![...kept.values()].includes(urn));
    expect(fresh.map(({ urn }) => urn)).to.deep.equal([
      'urn:pulumi:prod::tablewright::tablewright:index:ProjectStack::tablewright',
    ]);
    // The protected ones are named by what they were, too: without the alias the deployment would replace them.
    const guarded = resources.filter(({ options }) => options.protect);
    expect(guarded.length).to.be.above(13);
    expect(guarded.filter(({ options }) => !options.aliases.some((alias) => old.includes(alias)))).to.deep.equal([]);
  });

  it('keeps the subscriptions of the first release, which were known by their place in the list', () => {
    const topic = 'aws:sns/topic:Topic$aws:sns/topicSubscription:TopicSubscription';
    const [subscription] = resources.filter(({ type }) => type === 'aws:sns/topicSubscription:TopicSubscription');
    expect(subscription?.options.aliases).to.include(`urn:pulumi:prod::tablewright::${topic}::alarms-0-email`);
  });

  it('would be seen to lose its resources without the aliases', () => {
    const bare = resources.map((one) => ({ ...one, options: { ...one.options, aliases: [] } }));
    expect(takenOver(deployed('full-urns.txt'), bare).lost).to.have.length.above(300);
  });
});

describe('Pulumi.yaml', () => {
  it('runs the TypeScript as it stands, by a file that no exports of package.json can divert', () => {
    expect(project).to.deep.equal({
      name: projectName,
      description: 'DynamoDB tables, indexes, keys, alarms and roles from one catalogue',
      main: 'infra/index.ts',
      runtime: { name: 'nodejs', options: { typescript: false, nodeargs: '--import tsx' } },
    });
  });
});

describe('the program by Pulumi’s own entry point, with a stack file that is wrong', function () {
  this.timeout(bootTimeoutMs);

  it('ends with the code of a user’s error, all problems in one message, and registers nothing', async () => {
    const { exitCode, logs, resources } = await boot('dev', {
      ...stackFile('dev'),
      'tablewright:production': 'perhaps',
      'tablewright:system': ['oms'],
      'tablewright:account': '12',
    });
    expect(exitCode).to.equal(32);
    expect(logs.filter(({ severity }) => severity === 'error').map(({ message }) => message)).to.deep.equal([
      [
        'BAD_CONFIG: Pulumi.dev.yaml has 3 problems',
        '  - tablewright:production: expected true or false, found perhaps',
        '  - tablewright:account: expected the 12 digits of an AWS account, in quotes, found 12',
        '  - tablewright:system: unknown key',
        'Next: Correct Pulumi.dev.yaml; docs/configuration.md lists every key.',
      ].join('\n'),
    ]);
    expect(resources.map(({ type }) => type)).to.deep.equal(['pulumi:pulumi:Stack']);
  });
});

const deployed = (file: string): readonly string[] =>
  readFileSync(new URL(`./deployed/${file}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');

/** The URN of `type name parent`, as it was in the first release: nothing lay deeper than one component, or one resource. */
function urnOfIdentity(stack: string, line: string): string {
  const [type = '', name = '', parent = ''] = line.split(' ');
  const above = parent.split('::').slice(0, -1).join('::');
  const types = above === '' || above === 'pulumi:pulumi:Stack' ? type : `${above}$${type}`;
  return `urn:pulumi:${stack}::${projectName}::${types}::${name}`;
}

/** What becomes of the resources of an older program: Pulumi takes one for another only by its URN or by an alias. */
function takenOver(old: readonly string[], resources: readonly Registered[]) {
  const now = new Map(resources.flatMap(({ urn, options }) => [urn, ...options.aliases].map((known) => [known, urn] as const)));
  return {
    kept: new Map(old.flatMap((urn) => (now.has(urn) ? [[urn, now.get(urn)] as const] : []))),
    lost: old.filter((urn) => !now.has(urn)),
  };
}

/** What a resource is, without what the two ways of running number differently, and the aliases, which mocks are told in parts. */
function comparable(resources: readonly Registered[]): readonly object[] {
  return resources
    .map(({ urn: _, options: { aliases: __, ...options }, ...rest }) => ({
      ...rest,
      options: { ...options, dependsOn: options.dependsOn.toSorted() },
    }))
    .toSorted((a, b) => (`${a.type} ${a.name}` < `${b.type} ${b.name}` ? -1 : 1));
}
