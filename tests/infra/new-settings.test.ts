import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createBoundary, webIdentityTrust } from '../../infra/access/ci-roles.ts';
import program from '../../infra/index.ts';
import { deployTables } from '../../infra/program.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { standingCost, totalOf } from '../../tables/model/stack/standing-cost.ts';
import project from '../../tablewright.config.ts';
import { tables } from '../support/project.ts';
import { alarmProblems } from './support/alarm-check.ts';
import { boot, bootTimeoutMs } from './support/boot.ts';
import { runMocked } from './support/mocked-run.ts';
import { ruleProblems } from './support/policy-check.ts';
import { alarmType, named, ofType, type Registered, tableType } from './support/registered.ts';
import { anyFile } from './support/setting-changes/change.ts';
import { type Settings, stackFile } from './support/stack-file.ts';

const run = async (settings: Settings, stack = 'dev') => (await runMocked(stack, { ...stackFile(stack), ...settings })).resources;
/** What dev registers before it ends with an error. */
const refused = async (settings: Settings, run: () => Promise<object> = program) => {
  let failure = '';
  const ending = () =>
    run().catch((error: Error) => {
      failure = error.message;
      return {};
    });
  const { resources } = await runMocked('dev', { ...stackFile('dev'), ...settings }, ending);
  return { failure, registered: resources.map(({ type }) => type) };
};
const table = (resources: readonly Registered[], name: string) => named(resources, tableType, name).inputs;
const problemsOf = (settings: Settings): string => {
  try {
    parseStackConfig('qa', settings, tables);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('settings of the sources and of a team after a year, each in a run of the program', function () {
  this.timeout(bootTimeoutMs);

  it('a base name replaces that of the catalogue, in tables, alarms and policies', async () => {
    const given = { ...stackFile('dev'), 'tablewright:tables': { oms_trading_data: { baseName: 'desk_trading' } } };
    const { resources } = await runMocked('qa', given);
    expect(table(resources, 'oms_trading_data').name).to.equal('desk_trading_qa');
    const policy = String(named(resources, 'aws:iam/policy:Policy', 'application-read-oms').inputs.policy);
    expect(policy).to.contain(':table/desk_trading_qa').and.not.to.contain('oms_trading_data_qa');
    expect(problemsOf({ 'tablewright:tables': { orders: { baseName: 'trades' } } })).to.contain(
      'tables.orders.baseName: expected a name of its own, found trades, which trades has',
    );
  });

  it('recovery and backups are a table’s own', async () => {
    const resources = await run(
      { 'tablewright:tables': { control: { pitr: { enabled: false }, backups: false }, orders: { pitr: { recoveryDays: 3 } } } },
      'prod',
    );
    expect(table(resources, 'control').pointInTimeRecovery).to.deep.equal({ enabled: false });
    expect(table(resources, 'orders').pointInTimeRecovery).to.deep.equal({ enabled: true, recoveryPeriodInDays: 3 });
    const { resources: saved } = named(resources, 'aws:backup/selection:Selection', 'backups').inputs;
    expect(JSON.stringify(saved)).to.contain('table/orders').and.not.to.contain('table/control');
  });

  it('Contributor Insights is for a table and each of its indexes', async () => {
    const resources = await run({ 'tablewright:tables': { trades: { contributorInsights: 'throttled' } } });
    const found = ofType(resources, 'aws:dynamodb/contributorInsights:ContributorInsights').map(({ inputs }) => inputs);
    expect(found.map(({ indexName, mode }) => [indexName, mode])).to.deep.equal([
      [undefined, 'THROTTLED_KEYS'],
      ['trades_by_market', 'THROTTLED_KEYS'],
      ['trades_by_position', 'THROTTLED_KEYS'],
    ]);
    const all = await run({ 'tablewright:contributorInsights': 'accessed-and-throttled', 'tablewright:systems': ['markets'] });
    expect(ofType(all, 'aws:dynamodb/contributorInsights:ContributorInsights')).to.have.length(14);
  });

  it('tags are a table’s own, and Environment says what the file says', async () => {
    const resources = await run({}, 'prod');
    expect(table(resources, 'crypto-backtest-results').tags).to.deep.equal({
      Environment: 'production',
      Project: 'crypto-backtest',
      Service: 'crypto-backtest',
      Table: 'crypto-backtest-results',
    });
    expect(table(await run({}), 'crypto-backtest-results').tags).to.deep.include({ Environment: 'dev', Service: 'backtest' });
    expect(problemsOf({ 'tablewright:tags': { Service: 'x' } })).to.contain('tags.Service: expected another name');
    expect(problemsOf({ 'tablewright:tables': { orders: { tags: { Table: 'x' } } } })).to.contain(
      'tags.Table: expected another name',
    );
    const many = (letter: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`${letter}${at}`, '1']));
    const together = { 'tablewright:tags': many('a', 30), 'tablewright:tables': { orders: { tags: many('b', 18) } } };
    expect(problemsOf(together)).to.contain('tables.orders.tags: expected at most 47 tags with those of the stack, found 48');
    expect(problemsOf({ ...together, 'tablewright:tags': many('a', 29) })).to.equal('');
  });

  it('warm throughput is where a table begins, and no later deployment touches it', async () => {
    const resources = await run({
      'tablewright:tables': { orders: { warm: { write: 8_000, indexes: { orders_by_owner: { write: 5_000 } } } } },
    });
    const { inputs, options } = named(resources, tableType, 'orders');
    expect(inputs.warmThroughput).to.deep.equal({ writeUnitsPerSecond: 8_000 });
    expect(options.ignoreChanges).to.deep.equal(['warmThroughput', 'globalSecondaryIndexes[2].warmThroughput']);
    expect(problemsOf({ 'tablewright:tables': { orders: { warm: { write: 10 } } } })).to.contain('4000 or more, found 10');
  });

  it('backups are copied elsewhere and locked in governance mode, and one that fails is told', async () => {
    const vaultArn = 'arn:aws:backup:eu-west-1:444455556666:backup-vault:far';
    const resources = await run(
      { 'tablewright:backups': { enabled: true, copyTo: { vaultArn, deleteAfterDays: 90 }, lock: { minDays: 7 } } },
      'prod',
    );
    const [rule] = named(resources, 'aws:backup/plan:Plan', 'backups').inputs.rules as readonly Settings[];
    expect(rule?.copyActions).to.deep.equal([{ destinationVaultArn: vaultArn, lifecycle: { deleteAfter: 90 } }]);
    const { inputs } = named(resources, 'aws:backup/vaultLockConfiguration:VaultLockConfiguration', 'backups');
    expect(inputs).to.deep.include({ minRetentionDays: 7 }).and.not.to.have.property('changeableForDays');
    expect(named(resources, alarmType, 'backup-failures').inputs.threshold).to.equal(0);
    const [copies] = named(resources, alarmType, 'copy-failures').inputs.metricQueries as readonly Settings[];
    expect(copies?.expression).to.equal(`SELECT SUM(NumberOfCopyJobsFailed) FROM "AWS/Backup" WHERE BackupVaultName = 'far'`);
    const [saves] = named(resources, alarmType, 'backup-failures').inputs.metricQueries as readonly Settings[];
    const vault = String(named(resources, 'aws:backup/vault:Vault', 'backups').inputs.name);
    expect(saves?.expression).to.equal(
      `SELECT SUM(NumberOfBackupJobsFailed) FROM "AWS/Backup" WHERE BackupVaultName = '${vault}'`,
    );
    expect(alarmProblems(resources)).to.deep.equal([]);
    expect(ruleProblems(resources, true)).to.deep.equal([]);
    expect(problemsOf({ 'tablewright:backups': { lock: { minDays: 60 } } })).to.contain('at least 60');
    // Cold storage keeps them for 90 days more, whatever is usual.
    const cold = (lock: object) => problemsOf({ 'tablewright:backups': { coldStorageAfterDays: 30, lock } });
    expect(cold({ minDays: 60 })).to.equal('');
    expect(cold({ minDays: 1, maxDays: 60 })).to.contain('at least 1 and at most 60, as the lock asks, found 120');
  });

  it('a stream has its reader’s policy, and no other table is in it', async () => {
    const resources = await run({ 'tablewright:tables': { orders: { stream: 'NEW_IMAGE' } } });
    const policy = String(named(resources, 'aws:iam/policy:Policy', 'stream-reader').inputs.policy);
    expect(policy).to.contain(':table/orders-dev/stream/*').and.not.to.contain('trades');
    expect(ruleProblems(resources, false)).to.deep.equal([]);
    expect(ofType(await run({}), 'aws:iam/policy:Policy').map(({ name }) => name)).not.to.include('stream-reader');
  });

  it('a changed name of a deployed stack is refused: it would delete the tables', async () => {
    const failure = await run({ 'tablewright:nameSuffix': { outsideProd: '-other' } }).then(
      () => '',
      (error: Error) => error.message,
    );
    expect(failure).to.contain('DANGEROUS_CHANGE');
    expect(failure).to.contain(
      'dev/orders/name: the table is replaced, with the loss of all its items: its name was orders-dev and becomes orders-other',
    );
    const renamed = await run({ 'tablewright:tables': { orders: { baseName: 'desk-orders' } } }).then(
      () => '',
      (error: Error) => error.message,
    );
    expect(renamed).to.contain('its name was orders-dev and becomes desk-orders-dev');
  });

  describe('schedules', () => {
    let folder = '';
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'tablewright-bundle-'));
      await writeFile(join(folder, 'jobs.zip'), 'zip');
    });
    after(() => rm(folder, { recursive: true, force: true }));

    it('make one function per job from one zip, each under its policy, and a schedule that may invoke it alone', async () => {
      const bundle = join(folder, 'jobs.zip');
      const resources = await run({
        'tablewright:schedules': { bundle, archive: { enabled: true }, drift: { enabled: true, schedule: 'rate(12 hours)' } },
      });
      const held = ofType(resources, 'aws:iam/rolePolicyAttachment:RolePolicyAttachment').map(({ name }) => name);
      expect(held).to.include.members(['archive-exporter', 'drift-inspector']);
      const schedule = named(resources, 'aws:scheduler/schedule:Schedule', 'drift').inputs;
      expect(schedule.scheduleExpression).to.equal('rate(12 hours)');
      expect((schedule.target as Settings).input).to.equal('{"job":"drift"}');
      const invoke = String(named(resources, 'aws:iam/rolePolicy:RolePolicy', 'drift-schedule').inputs.policy);
      expect(invoke).to.contain('arn:aws:lambda:us-east-1:111122223333:function:tablewright-dev-drift"');
      expect(named(resources, alarmType, 'drift').inputs).to.deep.include({
        namespace: 'tablewright',
        metricName: 'Differences',
        dimensions: { Stack: 'dev' },
        threshold: 0,
      });
      expect(named(resources, alarmType, 'archive-errors').inputs.metricName).to.equal('Errors');
      expect(ruleProblems(resources, false)).to.deep.equal([]);
    });

    it('are refused without the zip, with the command that makes it, before anything is registered', async () => {
      const { failure, registered } = await refused({
        'tablewright:schedules': { bundle: join(folder, 'none.zip'), drift: { enabled: true } },
      });
      expect(failure).to.contain('BAD_CONFIG: Stack dev has schedules and no bundle').and.to.contain("'npx tablewright bundle'");
      expect(registered).to.deep.equal(['pulumi:pulumi:Stack']);
    });

    it('are refused where there is nothing to archive', async () => {
      const settings = { 'tablewright:schedules': { bundle: anyFile, archive: { enabled: true } } };
      const without = { ...project, archive: undefined };
      const { failure, registered } = await refused(settings, () => deployTables(without));
      expect(failure).to.contain(
        'tablewright:schedules.archive.enabled: expected false, because defineProject has no archive (docs/transfer.md), found true',
      );
      expect(registered).to.deep.equal(['pulumi:pulumi:Stack']);
      expect((await refused({}, () => deployTables(without))).failure).to.equal('');
    });

    it('are of a kind that EventBridge Scheduler takes', () => {
      const problem = (schedule: string) => problemsOf({ 'tablewright:schedules': { drift: { enabled: true, schedule } } });
      for (const taken of ['rate(1 hour)', 'rate(12 hours)', 'cron(0 5 * * ? *)', 'cron(15 6 ? * MON-FRI *)']) {
        expect(problem(taken), taken).to.equal('');
      }
      // Of the day of the month and that of the week, one says nothing.
      for (const other of [
        'rate(0 hours)',
        'rate(1 week)',
        'cron(0 5 * * * *)',
        'cron(0 5 ? * ? *)',
        'at(2027-01-01T00:00:00)',
      ]) {
        expect(problem(other), other).to.contain('schedules.drift.schedule: expected a schedule like rate(6 hours)');
      }
    });
  });

  describe('a runner', () => {
    const on: Settings = {
      'tablewright:schedules': { bundle: anyFile },
      'tablewright:runner': { enabled: true, reservedConcurrency: 40 },
    };
    const roleOf = (resources: readonly Registered[], name: string) =>
      String(named(resources, 'aws:iam/rolePolicy:RolePolicy', name).inputs.policy);

    it('is a function with published versions and a state machine that invokes one, with logs under the stack’s key', async () => {
      const { exitCode, printed, resources } = await boot('dev', { ...stackFile('dev'), ...on });
      expect(printed).to.equal('');
      expect(exitCode).to.equal(0);
      const worker = named(resources, 'aws:lambda/function:Function', 'runner').inputs;
      expect(worker).to.deep.include({
        name: 'tablewright-dev-runner',
        runtime: 'nodejs22.x',
        architectures: ['arm64'],
        publish: true,
        timeout: 900,
        memorySize: 1_769,
        reservedConcurrentExecutions: 40,
      });
      const groups = ofType(resources, 'aws:cloudwatch/logGroup:LogGroup').map(({ inputs }) => inputs);
      expect(groups.map(({ name }) => name)).to.deep.equal([
        '/aws/lambda/tablewright-dev-runner',
        '/aws/vendedlogs/states/tablewright-dev-runner',
      ]);
      for (const group of groups) expect(group).to.deep.include({ retentionInDays: 30 }).and.to.have.property('kmsKeyId');
      const key = String(named(resources, 'aws:kms/key:Key', 'stack').inputs.policy);
      expect(key).to.contain('log-group:/aws/vendedlogs/states/tablewright-dev-runner"');
      expect(named(resources, 'aws:sfn/stateMachine:StateMachine', 'runner').inputs).to.deep.include({
        name: 'tablewright-dev-runner',
        type: 'STANDARD',
      });
      expect(ruleProblems(resources, false)).to.deep.equal([]);
    });

    it('has a role for the machine with its own function and executions, and the worker the policy of those who migrate', async () => {
      const resources = await run(on);
      const machine = roleOf(resources, 'runner-machine');
      expect(machine).to.contain('arn:aws:lambda:us-east-1:111122223333:function:tablewright-dev-runner:*"');
      expect(machine).to.contain('arn:aws:states:us-east-1:111122223333:stateMachine:tablewright-dev-runner"');
      expect(machine).to.contain('execution:tablewright-dev-runner/*"').and.not.to.contain('dynamodb');
      const held = ofType(resources, 'aws:iam/rolePolicyAttachment:RolePolicyAttachment').map(({ name }) => name);
      expect(held).to.include('runner-migration-runner');
      const migrate = String(named(resources, 'aws:iam/policy:Policy', 'migration-runner').inputs.policy);
      expect(migrate).to.contain('"states:StartExecution"').and.not.to.contain('lambda:InvokeFunction');
    });

    it('tells of executions and workers that fail, by metrics that exist', async () => {
      const resources = await run(on);
      const arn = 'arn:aws:states:us-east-1:111122223333:stateMachine:tablewright-dev-runner';
      const watched = ['failures', 'timeouts', 'errors', 'throttles'].map((what) => {
        const { namespace, metricName, dimensions } = named(resources, alarmType, `runner-${what}`).inputs;
        return [namespace, metricName, dimensions];
      });
      expect(watched).to.deep.equal([
        ['AWS/States', 'ExecutionsFailed', { StateMachineArn: arn }],
        ['AWS/States', 'ExecutionsTimedOut', { StateMachineArn: arn }],
        ['AWS/Lambda', 'Errors', { FunctionName: 'tablewright-dev-runner' }],
        ['AWS/Lambda', 'Throttles', { FunctionName: 'tablewright-dev-runner' }],
      ]);
    });

    it('is not there unless it is asked for, and then changes the URN of nothing', async () => {
      const urnsOf = (resources: readonly Registered[]) =>
        resources.map(({ type, name, options: { parent } }) => `${parent} ${type} ${name}`);
      const without = urnsOf(await run({}));
      expect(urnsOf(await run({ 'tablewright:runner': { enabled: false } }))).to.deep.equal(without);
      const within = urnsOf(await run(on));
      expect(within).to.include.members(without);
      const added = within.filter((urn) => !without.includes(urn)).map((urn) => urn.split(' ').slice(1).join(' '));
      expect(added.filter((urn) => !/ runner(-\w[\w-]*)?$/.test(urn))).to.deep.equal([]);
      expect(added).to.have.length.above(8);
    });

    it('of an ephemeral stack has neither key nor alarm', async () => {
      const { resources } = await runMocked('pr-123', { 'aws:region': 'us-east-1', 'tablewright:ephemeral': 'true', ...on });
      for (const { inputs } of ofType(resources, 'aws:cloudwatch/logGroup:LogGroup'))
        expect(inputs).not.to.have.property('kmsKeyId');
      expect(ofType(resources, alarmType)).to.deep.equal([]);
      expect(ofType(resources, 'aws:sfn/stateMachine:StateMachine')).to.have.length(1);
    });

    it('takes role names only where it is on, and days that CloudWatch takes', () => {
      const roles = { runner: { policies: ['exporter'], services: ['lambda.amazonaws.com'] } };
      expect(problemsOf({ 'tablewright:roles': roles })).to.equal('');
      expect(problemsOf({ 'tablewright:roles': roles, 'tablewright:runner': { enabled: true } })).to.contain(
        'roles.runner: expected another name',
      );
      expect(problemsOf({ 'tablewright:runner': { logDays: 31 } })).to.contain('expected one of 1, 3, 5');
    });

    it('is refused without the zip, before anything is registered', async () => {
      const { failure, registered } = await refused({ ...on, 'tablewright:schedules': { bundle: 'none.zip' } });
      expect(failure).to.contain('BAD_CONFIG: Stack dev has a runner and no bundle');
      expect(registered).to.deep.equal(['pulumi:pulumi:Stack']);
    });
  });

  describe('pipelines', () => {
    const provider = 'arn:aws:iam::111122223333:oidc-provider/token.actions.githubusercontent.com';
    const ci = { provider, deploy: ['repo:desk/trading:environment:prod'], migrate: ['repo:desk/trading:ref:refs/heads/main'] };

    it('are trusted by whole subjects and their audience', async () => {
      const resources = await run({ 'tablewright:ci': ci });
      const trust = JSON.parse(String(named(resources, 'aws:iam/role:Role', 'deploy').inputs.assumeRolePolicy)) as {
        readonly Statement: readonly Settings[];
      };
      expect(trust.Statement).to.deep.equal([
        {
          Sid: 'Trust',
          Effect: 'Allow',
          Principal: { Federated: provider },
          Action: 'sts:AssumeRoleWithWebIdentity',
          Condition: {
            StringEquals: {
              'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
              'token.actions.githubusercontent.com:sub': ci.deploy,
            },
          },
        },
      ]);
      const migrate = String(named(resources, 'aws:iam/role:Role', 'migrate').inputs.assumeRolePolicy);
      expect(JSON.parse(migrate)).to.deep.equal(
        JSON.parse(webIdentityTrust({ ...ci, audience: 'sts.amazonaws.com' }, ci.migrate)),
      );
      expect(migrate).to.contain('repo:desk/trading:ref:refs/heads/main').and.not.to.contain('environment:prod');
      const held = ofType(resources, 'aws:iam/rolePolicyAttachment:RolePolicyAttachment').map(({ name }) => name);
      expect(held).to.include.members(['migrate-migration-runner', 'deploy-tables', 'deploy-services', 'deploy-access']);
      expect(problemsOf({ 'tablewright:ci': { ...ci, deploy: ['repo:desk/*'] } })).to.contain('without * and ?');
    });

    it('of GitLab are trusted by its issuer, audience and branch, also where it has an address of its own', async () => {
      const gitlab = 'arn:aws:iam::111122223333:oidc-provider/gitlab.example.com/desk';
      const subject = 'project_path:desk/trading:ref_type:branch:ref:main';
      const settings = { provider: gitlab, audience: 'https://gitlab.example.com', deploy: [subject] };
      const resources = await run({ 'tablewright:ci': settings });
      const trust = String(named(resources, 'aws:iam/role:Role', 'deploy').inputs.assumeRolePolicy);
      expect((JSON.parse(trust) as { readonly Statement: readonly Settings[] }).Statement[0]?.Condition).to.deep.equal({
        StringEquals: {
          'gitlab.example.com/desk:aud': 'https://gitlab.example.com',
          'gitlab.example.com/desk:sub': [subject],
        },
      });
    });

    it('make every role of the stack under the boundary, but the one that makes them', async () => {
      const roles = { api: { policies: ['exporter'], services: ['lambda.amazonaws.com'] } };
      const resources = await run({ 'tablewright:ci': ci, 'tablewright:roles': roles }, 'prod');
      const boundary = 'arn:aws:iam::111122223333:policy/tablewright-prod-boundary';
      const bounded = ofType(resources, 'aws:iam/role:Role').map(({ name, inputs }) => [name, inputs.permissionsBoundary]);
      expect(Object.fromEntries(bounded)).to.deep.equal({
        api: boundary,
        backups: boundary,
        migrate: boundary,
        deploy: undefined,
      });
      for (const { name, inputs } of ofType(resources, 'aws:iam/policy:Policy')) {
        expect(String(inputs.policy).length, name).to.be.at.most(6_144);
      }
      expect(createBoundary(parseStackConfig('qa', {}, tables), {} as never, tables, {} as never)).to.equal(undefined);
    });
  });
});

describe('further stacks, by Pulumi’s own entry point', function () {
  this.timeout(bootTimeoutMs);

  it('staging boots, and keeps the rules of the house', async () => {
    const { exitCode, printed, resources } = await boot('staging', stackFile('staging'));
    expect(printed).to.equal('');
    expect(exitCode).to.equal(0);
    expect(alarmProblems(resources)).to.deep.equal([]);
    expect(ruleProblems(resources, false)).to.deep.equal([]);
  });

  it('an ephemeral one of five lines boots, and leaves nothing behind: no key, alarm, dashboard, backup or protection', async () => {
    const lines = ['config:', '  aws:region: us-east-1', '  tablewright:ephemeral: true', '  tablewright:systems:', '    - oms'];
    expect(lines).to.have.length(5);
    const { exitCode, resources, outputs } = await boot('pr-123', {
      'aws:region': 'us-east-1',
      'tablewright:ephemeral': 'true',
      'tablewright:systems': ['oms'],
    });
    expect(exitCode).to.equal(0);
    const kinds = new Set(resources.map(({ type }) => type));
    for (const type of [
      alarmType,
      'aws:kms/key:Key',
      'aws:cloudwatch/dashboard:Dashboard',
      'aws:backup/plan:Plan',
      'aws:sns/topic:Topic',
    ]) {
      expect(kinds.has(type), type).to.equal(false);
    }
    expect(resources.filter(({ options }) => options.protect)).to.deep.equal([]);
    expect(named(resources, 'aws:s3/bucket:Bucket', 'exports').inputs.forceDestroy).to.equal(true);
    expect(table(resources, 'oms_config').serverSideEncryption).to.deep.equal({ enabled: true });
    expect(JSON.stringify(resources)).not.to.contain('kms:ViaService');
    expect(outputs).not.to.have.property('keyArn');
    expect(totalOf(standingCost(resources.map(({ type, inputs }) => ({ before: undefined, after: { type, inputs } }))))).to.equal(
      0,
    );
    expect(problemsOf({ 'tablewright:ephemeral': true, 'tablewright:protect': true, 'tablewright:production': true })).to.match(
      /production: expected none in a stack that is ephemeral.*protect: expected none/s,
    );
  });
});
