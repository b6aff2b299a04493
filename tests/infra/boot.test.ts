import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { projectName } from '../../tables/model/stack/stack-config.ts';
import { tables } from '../support/project.ts';
import { alarmProblems } from './support/alarm-check.ts';
import { boot, bootTimeoutMs, project } from './support/boot.ts';
import { bootedStack, mockedStack } from './support/booted-stacks.ts';
import { ruleProblems } from './support/policy-check.ts';
import type { Registered } from './support/registered.ts';
import { configOf, stackFile } from './support/stack-file.ts';
import { tableProblems } from './support/table-check.ts';

const counts = { dev: 194, prod: 296 };

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

    it('keeps every resource that stacks of the first release have: type, name and parent are what Pulumi knows it by', async () => {
      const { resources } = await bootedStack(stack);
      const now = new Set(resources.map(identity));
      const deployed = readFileSync(new URL(`./deployed/${stack}.txt`, import.meta.url), 'utf8')
        .trimEnd()
        .split('\n');
      const gone = stack === 'prod' ? [...retired, ...systemErrors] : retired;
      expect(deployed.filter((resource) => !now.has(resource))).to.have.members(gone);
      expect(now.size - (deployed.length - gone.length), 'new ones').to.equal(added[stack]);
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

function identity({ type, name, options }: Registered): string {
  return [type, name, ...(options.parent === '' ? [] : [options.parent])].join(' ');
}

/** What a resource is, without what the two ways of running number differently. */
function comparable(resources: readonly Registered[]): readonly Omit<Registered, 'urn'>[] {
  return resources
    .map(({ urn: _, ...rest }) => ({ ...rest, options: { ...rest.options, dependsOn: rest.options.dependsOn.toSorted() } }))
    .toSorted((a, b) => (`${a.type} ${a.name}` < `${b.type} ${b.name}` ? -1 : 1));
}
