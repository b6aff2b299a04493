import { expect } from 'chai';
import { longestDocument } from '../../infra/access/split-policy.ts';
import { alarmProblems } from './support/alarm-check.ts';
import { boot, bootTimeoutMs } from './support/boot.ts';
import { place } from './support/fake-aws.ts';
import { ruleProblems } from './support/policy-check.ts';
import { alarmType, named, ofType, type Registered, tableType } from './support/registered.ts';
import { documentedSettings } from './support/setting-changes/all.ts';
import { type Settings, stackFile } from './support/stack-file.ts';

const vaultArn = 'arn:aws:backup:eu-west-1:444455556666:backup-vault:far';

/** Everything that the sources name and a team wants after a year, in one stack that nobody released yet. */
const settings: Settings = {
  ...stackFile('prod'),
  'tablewright:contributorInsights': 'throttled',
  'tablewright:backups': { enabled: true, copyTo: { vaultArn, deleteAfterDays: 90 }, lock: { minDays: 7 } },
  'tablewright:schedules': {
    bundle: 'package.json',
    archive: { enabled: true },
    drift: { enabled: true, schedule: 'rate(12 hours)' },
  },
  'tablewright:ci': {
    provider: `arn:aws:iam::${place.account}:oidc-provider/token.actions.githubusercontent.com`,
    deploy: ['repo:desk/trading:environment:prod'],
    migrate: ['repo:desk/trading:ref:refs/heads/main'],
  },
  'tablewright:tables': {
    oms_trading_data: { baseName: 'desk_trading', stream: 'NEW_AND_OLD_IMAGES', alarms: { keyRangeThrottles: { threshold: 3 } } },
    'crypto-backtest-results': { tags: { Project: 'crypto-backtest' }, contributorInsights: 'accessed-and-throttled' },
    'crypto-trading-positions': { pitr: { enabled: false }, backups: false },
    orders: { warm: { write: 8_000, indexes: { orders_by_owner: { write: 5_000 } } }, pitr: { recoveryDays: 3 } },
  },
};

type Shown = (resources: readonly Registered[]) => unknown;

const inputs = (type: string, name: string, ...members: readonly string[]): Shown => {
  return (resources) => {
    const all = named(resources, type, name).inputs;
    return members.length === 1 ? all[members[0] ?? ''] : members.map((member) => all[member]);
  };
};
const table = (name: string, ...members: readonly string[]) => inputs(tableType, name, ...members);
const alarm = (name: string, ...members: readonly string[]) => inputs(alarmType, name, ...members);
const says = (shown: Shown, text: string): Shown => {
  return (resources) => JSON.stringify(shown(resources)).includes(text);
};

/** A setting, how the boot shows it, and what is to be seen. */
const settingsShown: readonly (readonly [setting: string, shown: Shown, expected: unknown])[] = [
  // 000:392, 000:393.
  ['tables.<name>.baseName', table('oms_trading_data', 'name'), 'desk_trading_qa'],
  ['tables.<name>.pitr', table('crypto-trading-positions', 'pointInTimeRecovery'), { enabled: false }],
  ['tables.<name>.pitr', table('orders', 'pointInTimeRecovery'), { enabled: true, recoveryPeriodInDays: 3 }],
  [
    'tables.<name>.backups',
    says(inputs('aws:backup/selection:Selection', 'backups', 'resources'), 'crypto-trading-positions'),
    false,
  ],
  // 000:521, 001:382.
  [
    'tables.<name>.contributorInsights',
    inputs('aws:dynamodb/contributorInsights:ContributorInsights', 'crypto-backtest-results-StatusIndex', 'mode'),
    'ACCESSED_AND_THROTTLED_KEYS',
  ],
  ['contributorInsights', inputs('aws:dynamodb/contributorInsights:ContributorInsights', 'orders', 'mode'), 'THROTTLED_KEYS'],
  ['keyRangeThrottles', alarm('orders-read-key-range-throttles', 'metricName'), 'ReadKeyRangeThroughputThrottleEvents'],
  [
    'keyRangeThrottles',
    alarm('oms_trading_data-GSI1-write-key-range-throttles', 'metricName', 'dimensions', 'threshold'),
    ['WriteKeyRangeThroughputThrottleEvents', { TableName: 'desk_trading_qa', GlobalSecondaryIndexName: 'GSI1' }, 3],
  ],
  // 001:283, 003:417.
  [
    'schedules.archive.enabled',
    inputs('aws:scheduler/schedule:Schedule', 'archive', 'name', 'scheduleExpression'),
    ['tablewright-qa-archive', 'rate(6 hours)'],
  ],
  // 003:385.
  ['environment', says(table('crypto-backtest-results', 'tags'), '"Environment":"production"'), true],
  ['tables.<name>.tags', says(table('crypto-backtest-results', 'tags'), '"Project":"crypto-backtest"'), true],
  // Three read and three write errors are six.
  ['systemErrors', says(alarm('orders-system-errors', 'metricQueries'), 'SELECT SUM(SystemErrors)'), true],
  ['dashboards', says(inputs('aws:cloudwatch/dashboard:Dashboard', 'markets', 'dashboardBody'), 'UserErrors'), true],
  ['dashboards', says(inputs('aws:cloudwatch/dashboard:Dashboard', 'markets', 'dashboardBody'), 'ThrottledRequests'), true],
  // After a year.
  ['ci.deploy', says(inputs('aws:iam/role:Role', 'deploy', 'assumeRolePolicy'), 'repo:desk/trading:environment:prod'), true],
  [
    'ci.deploy',
    inputs('aws:iam/role:Role', 'migrate', 'permissionsBoundary'),
    'arn:aws:iam::111122223333:policy/tablewright-qa-boundary',
  ],
  ['ci.migrate', says(inputs('aws:iam/role:Role', 'migrate', 'assumeRolePolicy'), 'repo:desk/trading:ref:refs/heads/main'), true],
  ['tables.<name>.warm', table('orders', 'warmThroughput'), { writeUnitsPerSecond: 8_000 }],
  ['tables.<name>.warm', says(table('orders', 'globalSecondaryIndexes'), '"warmThroughput":{"writeUnitsPerSecond":5000}'), true],
  ['backups.copyTo.vaultArn', says(inputs('aws:backup/plan:Plan', 'backups', 'rules'), vaultArn), true],
  [
    'backups.lock.minDays',
    inputs('aws:backup/vaultLockConfiguration:VaultLockConfiguration', 'backups', 'minRetentionDays', 'changeableForDays'),
    [7, undefined],
  ],
  ['backupFailures', says(alarm('copy-failures', 'metricQueries'), 'NumberOfCopyJobsFailed'), true],
  [
    'tables.<name>.stream',
    says(inputs('aws:iam/policy:Policy', 'stream-reader', 'policy'), 'table/desk_trading_qa/stream/*'),
    true,
  ],
  ['schedules.drift.enabled', inputs('aws:scheduler/schedule:Schedule', 'drift', 'scheduleExpression'), 'rate(12 hours)'],
  ['drift', alarm('drift', 'metricName', 'threshold'), ['Differences', 0]],
];

describe('the settings that the sources name, and those of a team after a year, in one boot by Pulumi’s own entry point', function () {
  this.timeout(bootTimeoutMs);
  let resources: readonly Registered[] = [];

  before(async () => {
    const booted = await boot('qa', settings);
    expect(booted.printed).to.equal('');
    expect(booted.exitCode).to.equal(0);
    resources = booted.resources;
  });

  for (const [setting, shown, expected] of settingsShown) {
    it(`${setting} shows, and has its line in docs/configuration.md`, () => {
      expect(shown(resources)).to.deep.equal(expected);
      expect([...documentedSettings()]).to.include(setting);
    });
  }

  it('keep the rules of the house together, each policy within what IAM takes', () => {
    expect(alarmProblems(resources)).to.deep.equal([]);
    const problems = ruleProblems(resources, true).filter(
      (problem) => !/^aws:iam\/policy:Policy (boundary|deploy-)/.test(problem),
    );
    expect(problems).to.deep.equal([]);
    const policies = ofType(resources, 'aws:iam/policy:Policy');
    expect(policies.filter((one) => String(one.inputs.policy).length > longestDocument).map(({ name }) => name)).to.deep.equal(
      [],
    );
  });
});
