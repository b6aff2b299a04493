import { expect } from 'chai';
import { checkPlace } from '../../infra/config/find-place.ts';
import { checkHasSettings } from '../../infra/config/has-settings.ts';
import { billingOf, parseStackConfig, physicalName, tablesOf } from '../../tables/model/stack/stack-config.ts';
import { tables } from '../support/project.ts';
import { place } from './support/fake-aws.ts';
import { configOf, encodeConfig, type Settings, stackFile } from './support/stack-file.ts';
import { thrown } from './support/thrown.ts';

const parse = (settings: Settings) => parseStackConfig('qa', settings, tables);
const names = tables.map(({ name }) => name).join(', ');

const mistakes: readonly (readonly [string, Settings, readonly string[]])[] = [
  ['a wrong type', { production: 'yes' }, ['production: expected true or false, found yes']],
  ['an unknown key', { prodution: true }, ['prodution: unknown key']],
  ['unknown keys inside', { pitr: { enabled: true, days: 3 } }, ['pitr.days: unknown key']],
  [
    'an account that lost its leading zero',
    { account: 12345678901 },
    ['account: expected the 12 digits of an AWS account, in quotes, found 12345678901'],
  ],
  [
    'too many days',
    { pitr: { enabled: true, recoveryDays: 36 } },
    ['pitr.recoveryDays: expected a whole number of days, 1 to 35, found 36'],
  ],
  [
    'an unknown system',
    { systems: ['oms', 'omz'] },
    ['systems: expected some of oms, markets, backtest, order-management, tablewright, found omz'],
  ],
  ['an unknown table', { tables: { ordres: {} } }, [`tables: expected some of ${names}, found ordres`]],
  [
    'a suffix that no table name can hold',
    { nameSuffix: { always: ' qa' } },
    ['nameSuffix.always: expected letters, digits, underscores, dots and hyphens, found  qa'],
  ],
  ['an unknown billing mode', { billing: { mode: 'free' } }, ['billing.mode: expected on-demand or provisioned, found free']],
  [
    'a maximum below the minimum',
    { tables: { orders: { billing: { mode: 'provisioned', read: 10, write: 5, max: { read: 9, write: 5 } } } } },
    ['tables.orders.billing.max.read: expected at least read (10), found 9'],
  ],
  [
    'an unknown index',
    { tables: { orders: { billing: { mode: 'on-demand', indexes: { by_owner: { read: 1, write: 1 } } } } } },
    [
      'tables.orders.billing.indexes: expected some of orders_by_market_buy, orders_by_market_sell, orders_by_owner, found by_owner',
    ],
  ],
  [
    'indexes for every table at once',
    { billing: { mode: 'on-demand', indexes: { GSI1: { read: 1, write: 1 } } } },
    ['billing.indexes: expected under tables.<name>, found GSI1'],
  ],
  [
    'an alarm that looks back too far',
    { alarms: { readThrottles: { periods: 289 } } },
    ['alarms.readThrottles: expected periodSeconds × periods to be at most 86400 s, found 300 × 289 = 86700 s'],
  ],
  [
    'a table’s alarm that looks back too far',
    { tables: { orders: { alarms: { readLatency: { periodSeconds: 3600, periods: 169 } } } } },
    ['tables.orders.alarms.readLatency: expected periodSeconds × periods to be at most 604800 s, found 3600 × 169 = 608400 s'],
  ],
  [
    'an unknown way to be told',
    { alarms: { subscriptions: [{ protocol: 'pager', endpoint: 'x' }] } },
    ['alarms.subscriptions.0.protocol: expected one of email, email-json, https, sms, sqs, lambda, found pager'],
  ],
  [
    'an e-mail address that is none',
    {
      alarms: {
        subscriptions: [
          { protocol: 'email', endpoint: 'ops.example.com' },
          { protocol: 'email-json', endpoint: 'ops@example' },
          { protocol: 'https', endpoint: 'http://example.com/alarms' },
          { protocol: 'sms', endpoint: 15551234567 },
          { protocol: 'sqs', endpoint: 'https://sqs.us-east-1.amazonaws.com/111122223333/alarms' },
          { protocol: 'lambda', endpoint: 'alarms' },
        ],
      },
    },
    [
      'alarms.subscriptions.0.endpoint: expected an e-mail address like ops@example.com for email, found something else',
      'alarms.subscriptions.1.endpoint: expected an e-mail address like ops@example.com for email-json, found something else',
      'alarms.subscriptions.2.endpoint: expected an address that begins with https:// for https, found something else',
      'alarms.subscriptions.3.endpoint: expected a phone number like "+15551234567", with its plus and in quotes for sms, found something else',
      'alarms.subscriptions.4.endpoint: expected the ARN of a queue for sqs, found something else',
      'alarms.subscriptions.5.endpoint: expected the ARN of a function for lambda, found something else',
    ],
  ],
  [
    'an endpoint twice',
    {
      alarms: {
        subscriptions: [
          { protocol: 'email', endpoint: 'ops@example.com' },
          { protocol: 'email-json', endpoint: 'ops@example.com' },
          { protocol: 'email', endpoint: 'ops@example.com' },
        ],
      },
    },
    ['alarms.subscriptions.2.endpoint: expected another endpoint than that of entry 0'],
  ],
  [
    'alarms that no policy should name',
    { pauseOnAlarms: ['checkout-*', ''] },
    [
      'pauseOnAlarms.0: expected the name of an alarm, up to 255 characters without * and ?, found checkout-*',
      'pauseOnAlarms.1: expected the name of an alarm, up to 255 characters without * and ?, found an empty text',
    ],
  ],
  ['no alarm to hold still for', { pauseOnAlarms: [] }, ['pauseOnAlarms: expected the names of alarms, found none']],
  [
    'more alarms than a policy is to name',
    { pauseOnAlarms: Array.from({ length: 11 }, (_, at) => `alarm-${at}`) },
    ['pauseOnAlarms: expected at most 10 alarms, found 11'],
  ],
  [
    'negative thresholds',
    { alarms: { readLatency: { threshold: -5 }, writeFailures: { threshold: -1 }, ttlDeletions: { threshold: -1 } } },
    [
      'alarms.readLatency.threshold: expected a number of milliseconds, 0 or more, found -5',
      'alarms.writeFailures.threshold: expected a number of percent, 0 or more, found -1',
      'alarms.ttlDeletions.threshold: expected a number of items that expire per period, 0 or more, found -1',
    ],
  ],
  [
    'a period that CloudWatch has not',
    { alarms: { readLatency: { periodSeconds: 90 } } },
    ['alarms.readLatency.periodSeconds: expected a multiple of 60 seconds, found 90'],
  ],
  [
    'statistics that expire',
    { exportBucket: { lifecycle: [{ prefix: 'statistics/daily/', expireDays: 90 }] } },
    ['exportBucket.lifecycle.0.expireDays: expected none, because statistics are kept for ever, found 90'],
  ],
  [
    'a move to infrequent access too early',
    { exportBucket: { lifecycle: [{ prefix: 'exports/', transition: { days: 7, storageClass: 'STANDARD_IA' } }] } },
    ['exportBucket.lifecycle.0.transition.days: expected at least 30 for STANDARD_IA, found 7'],
  ],
  [
    'an expiry before the move',
    {
      exportBucket: { lifecycle: [{ prefix: 'exports/', transition: { days: 60, storageClass: 'GLACIER' }, expireDays: 60 }] },
    },
    ['exportBucket.lifecycle.0.expireDays: expected more than transition.days (60), found 60'],
  ],
  [
    'a bucket name that S3 refuses',
    { exportBucket: { name: 'Exports' } },
    ['exportBucket.name: expected 3 to 63 lower-case letters, digits, dots and hyphens, found Exports'],
  ],
  [
    'a role that anybody may take',
    { roles: { api: { policies: ['application-read'], principals: ['*'] } } },
    ['roles.api.principals.0: expected the ARN of an account, a role or a user, found *'],
  ],
  [
    'a role that nobody may take',
    { roles: { api: { policies: ['application-read'] } } },
    ['roles.api: expected principals or services that may take the role, found none'],
  ],
  [
    'a seeder in production',
    { production: true, roles: { seed: { policies: ['seeder'], services: ['lambda.amazonaws.com'] } } },
    ['roles.seed.policies: expected no seeder in a production stack, found seeder'],
  ],
  [
    'a role for a system that is not deployed',
    {
      systems: ['oms'],
      roles: { api: { policies: ['application-read'], systems: ['markets'], services: ['lambda.amazonaws.com'] } },
    },
    ['roles.api.systems: expected some of oms, found markets'],
  ],
  [
    'a role with more policies than AWS takes',
    {
      roles: {
        all: {
          policies: ['application-read', 'application-write', 'migration-runner', 'seeder', 'exporter', 'importer'],
          services: ['lambda.amazonaws.com'],
        },
      },
    },
    ['roles.all: expected at most 10 policies for a role, found 12; name fewer systems'],
  ],
  [
    'a tag of the stack’s own',
    { tags: { Table: 'x' } },
    ['tags.Table: expected another name, because the stack sets this tag itself'],
  ],
  [
    'tags that AWS would refuse later',
    { tags: { 'aws:owner': 'x', 'AWS:team': 'y', 'cost centre': 'a#b' } },
    [
      'tags.aws:owner: expected a name that does not begin with aws:, which AWS keeps for itself',
      'tags.AWS:team: expected a name that does not begin with aws:, which AWS keeps for itself',
      'tags.cost centre: expected up to 256 letters, digits, spaces and _ . : / = + - @, found a#b',
    ],
  ],
  [
    'more tags than a resource holds',
    { tags: Object.fromEntries(Array.from({ length: 48 }, (_, at) => [`tag${at}`, 'x'])) },
    ["tags: expected at most 47 tags beside the stack's own, found 48"],
  ],
  [
    'backups that leave cold storage too early',
    { backups: { coldStorageAfterDays: 30, deleteAfterDays: 60 } },
    ['backups.deleteAfterDays: expected at least 120, 90 days after coldStorageAfterDays, found 60'],
  ],
  [
    'a schedule that is none',
    { backups: { schedule: 'daily' } },
    ['backups.schedule: expected a schedule like cron(0 5 * * ? *), the only kind that AWS Backup takes, found daily'],
  ],
  [
    'a schedule that AWS Backup does not take',
    { backups: { schedule: 'rate(1 day)' } },
    ['backups.schedule: expected a schedule like cron(0 5 * * ? *), the only kind that AWS Backup takes, found rate(1 day)'],
  ],
  [
    'a schedule for a day of the month and of the week',
    { backups: { schedule: 'cron(0 5 * * * *)' } },
    [
      'backups.schedule: expected a schedule like cron(0 5 * * ? *), the only kind that AWS Backup takes, found cron(0 5 * * * *)',
    ],
  ],
  [
    'a key that is deleted at once',
    { key: { deletionWindowDays: 1 } },
    ['key.deletionWindowDays: expected a whole number of days, 7 to 30, found 1'],
  ],
  [
    'a budget of nothing',
    { budgets: { read: 0, write: 1 } },
    ['budgets.read: expected a whole number of units, 1 or more, found 0'],
  ],
  [
    'an unknown table among other mistakes in the same key',
    { tables: { ordres: { stream: 'ALL' }, orders: { stream: 'ALL', colour: 'red' }, ordrse: {} } },
    [
      'tables.ordres.stream: expected one of KEYS_ONLY, NEW_IMAGE, OLD_IMAGE, NEW_AND_OLD_IMAGES, found ALL',
      'tables.orders.stream: expected one of KEYS_ONLY, NEW_IMAGE, OLD_IMAGE, NEW_AND_OLD_IMAGES, found ALL',
      'tables.orders.colour: unknown key',
      `tables: expected some of ${names}, found ordres`,
      `tables: expected some of ${names}, found ordrse`,
    ],
  ],
  [
    'a maximum that is neither a number nor off',
    { billing: { mode: 'on-demand', maximum: { read: 'none', write: 0 } } },
    [
      'billing.maximum.read: expected a whole number of units, 1 or more, or off, found none',
      'billing.maximum.write: expected a whole number of units, 1 or more, or off, found 0',
    ],
  ],
  [
    'several mistakes, of one key and of several together',
    { production: 1, systems: ['omz'], nope: 1, also: 2 },
    [
      'production: expected true or false, found 1',
      'nope: unknown key',
      'also: unknown key',
      'systems: expected some of oms, markets, backtest, order-management, tablewright, found omz',
    ],
  ],
];

describe('a stack file with', () => {
  for (const [what, settings, problems] of mistakes) {
    it(`${what} is refused with its place and what was expected`, () => {
      const own = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`tablewright:${name}`, value]));
      const error = thrown(() => parse(own));
      expect(error.code).to.equal('BAD_CONFIG');
      const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
      const lines = problems.map((problem) => `  - tablewright:${problem}`);
      expect(error.message).to.equal([`Pulumi.qa.yaml has ${count}`, ...lines].join('\n'));
      expect(error.next).to.equal('Correct Pulumi.qa.yaml; docs/configuration.md lists every key.');
    });

    it(`${what} is refused in the same words when it comes through Pulumi`, () => {
      const own = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`tablewright:${name}`, value]));
      const direct = thrown(() => parse(own));
      const decoded = thrown(() => parse(encodeConfig(own)));
      expect(decoded.message).to.equal(direct.message);
    });
  }
});

describe('the stack files of this repository', () => {
  for (const stack of ['dev', 'prod']) {
    it(`read the same on the command line and in the program: ${stack}`, () => {
      const throughPulumi = parseStackConfig(stack, encodeConfig(stackFile(stack)), tables);
      expect(throughPulumi).to.deep.equal(configOf(stack));
    });
  }

  it('guard prod and leave dev alone', () => {
    expect(configOf('prod')).to.deep.include({ protect: true, pitr: { enabled: true, recoveryDays: 35 } });
    expect(configOf('dev')).to.deep.include({ protect: false, pitr: { enabled: false, recoveryDays: 35 } });
    expect(configOf('prod').backups.enabled).to.equal(true);
    expect(configOf('dev').backups.enabled).to.equal(false);
  });
});

describe('a secret in a stack file', () => {
  const secret = { secure: 'AAABAJ…' };

  it('is passed over by the command line where only the deployment needs it', () => {
    const config = parse({
      'aws:secretKey': secret,
      'tablewright:systems': ['oms'],
      'tablewright:alarms': { subscriptions: [{ protocol: 'email', endpoint: secret }] },
      'tablewright:roles': secret,
    });
    expect(config.systems).to.deep.equal(['oms']);
    expect(config.alarms.subscriptions).to.deep.equal([]);
    expect(config.roles).to.deep.equal({});
  });

  it('is refused where the command line needs the value, every place by name', () => {
    const error = thrown(() => parse({ 'tablewright:account': secret, 'tablewright:budgets': { read: secret, write: 1 } }));
    const why =
      'expected a plain value, found a secret; the command line reads this file without the passphrase, so secrets may stand under alarms, dashboards, exportBucket, roles, backups, key, ci, tables.*.alarms only';
    expect(error.problems).to.deep.equal([`tablewright:account: ${why}`, `tablewright:budgets.read: ${why}`]);
  });

  it('reaches the program in plain text', () => {
    const raw = { 'tablewright:alarms': '{"subscriptions":[{"protocol":"email","endpoint":"ops@example.com"}]}' };
    expect(parse(raw).alarms.subscriptions).to.deep.equal([{ protocol: 'email', endpoint: 'ops@example.com' }]);
  });
});

describe('the place of a stack', () => {
  it('is refused when the credentials lead to another account', () => {
    const error = thrown(() => checkPlace(place, configOf('prod', { 'tablewright:account': '999988887777' })));
    expect(error.code).to.equal('WRONG_ACCOUNT');
    expect(error.message).to.equal(
      [
        'Stack prod belongs to another AWS account',
        '  - tablewright:account: expected credentials of account 999988887777, found account 111122223333',
      ].join('\n'),
    );
    expect(error.next).to.equal('Use credentials of account 999988887777, or correct tablewright:account in Pulumi.prod.yaml.');
  });

  it('is refused when the provider works in another region than the file says', () => {
    const error = thrown(() => checkPlace({ ...place, region: 'sa-east-1' }, configOf('dev')));
    expect(error.code).to.equal('BAD_CONFIG');
    expect(error.problems).to.deep.equal(['aws:region: expected us-east-1, found sa-east-1 in use']);
    expect(error.next).to.equal(
      'Run npx pulumi config set aws:region sa-east-1 --stack dev, so that the command line looks there too.',
    );
  });

  it('is accepted when both fit', () => {
    checkPlace(place, configOf('dev', { 'tablewright:account': place.account }));
  });

  it('is refused when the stack has no file', () => {
    const error = thrown(() => checkHasSettings('staging', { 'aws:region': 'us-east-1' }));
    expect(error.code).to.equal('BAD_CONFIG');
    expect(error.message).to.equal(
      'Stack staging has no settings\n  - Pulumi.staging.yaml: expected some tablewright: keys, found none',
    );
  });
});

describe('settings of single tables', () => {
  const results = tables.find(({ name }) => name === 'crypto-backtest-results');
  if (results === undefined) throw new Error('the catalogue has no crypto-backtest-results');

  it('go before the stack’s, and those before the catalogue’s', () => {
    const own = { mode: 'provisioned', read: 3, write: 4 };
    const wide = { mode: 'on-demand', maximum: { read: 50, write: 60 } };
    const read = (settings: Settings) => billingOf(results, parse({ 'tablewright:production': true, ...settings }));
    expect(read({})).to.deep.include({ mode: 'provisioned', table: { read: 10, write: 20, max: { read: 100, write: 200 } } });
    expect(read({ 'tablewright:billing': wide })).to.deep.include({ mode: 'on-demand', table: { read: 50, write: 60 } });
    const both = read({ 'tablewright:billing': wide, 'tablewright:tables': { [results.name]: { billing: own } } });
    expect(both).to.deep.include({ mode: 'provisioned', table: { read: 3, write: 4, max: undefined } });
  });

  it('reach an index by its name and leave the others alone', () => {
    const billing = { mode: 'on-demand', maximum: { read: 9, write: 9 }, indexes: { StatusIndex: { read: 1, write: 2 } } };
    expect(billingOf(results, parse({ 'tablewright:tables': { [results.name]: { billing } } })).indexes).to.deep.equal({
      ScanIdIndex: { read: 9, write: 9 },
      OptimalTimeframeIndex: { read: 9, write: 9 },
      StatusIndex: { read: 1, write: 2 },
    });
  });

  it('may replace the suffix of names', () => {
    const config = parse({ 'tablewright:nameSuffix': { always: '_x', outsideProd: '' } });
    expect(tablesOf(config, tables).map((table) => physicalName(table, config))).to.include.members([
      'oms_config_x',
      'orders',
      'tablewright-ledger',
    ]);
  });
});
