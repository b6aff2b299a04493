/** A value for each member of a nested object, given alone. */
export const singleSamples: Readonly<Record<string, unknown>> = {
  'nameSuffix.always': '_x',
  'nameSuffix.outsideProd': '-x',
  'pitr.enabled': true,
  'pitr.recoveryDays': 7,
  'budgets.read': 100,
  'budgets.write': 100,
  'alarms.enabled': false,
  'alarms.subscriptions': [{ protocol: 'email', endpoint: 'ops@example.com' }],
  ...Object.fromEntries(
    [
      'readThrottles',
      'writeThrottles',
      'systemErrors',
      'readLatency',
      'writeFailures',
      'onDemandMaximum',
      'accountLimits',
      'userErrors',
      'keyRangeThrottles',
      'backupFailures',
      'drift',
    ].flatMap((kind) => [
      [`alarms.${kind}.enabled`, false],
      [`alarms.${kind}.threshold`, 3],
      [`alarms.${kind}.periodSeconds`, 600],
      // A query looks back three hours and no further.
      [`alarms.${kind}.periods`, kind === 'backupFailures' ? 3 : 4],
    ]),
  ),
  'alarms.ttlDeletions.enabled': false,
  'alarms.ttlDeletions.threshold': 3,
  'alarms.ttlDeletions.periodSeconds': 86_400,
  'alarms.ttlDeletions.periods': 7,
  'alarms.ttlDeletions.from': '2027-01-01',
  'schedules.bundle': 'jobs.zip',
  ...Object.fromEntries(
    ['archive', 'drift'].flatMap((job) => [
      [`schedules.${job}.enabled`, true],
      [`schedules.${job}.schedule`, 'rate(2 hours)'],
      [`schedules.${job}.timeoutSeconds`, 60],
      [`schedules.${job}.memoryMb`, 256],
    ]),
  ),
  'exportBucket.name': 'desk-exports',
  'exportBucket.lifecycle': [{ prefix: 'exports/', expireDays: 3 }],
  'exportBucket.noncurrentDays': 3,
  'exportBucket.abortUploadDays': 3,
  'exportBucket.accessLogs.enabled': true,
  'exportBucket.accessLogs.expireDays': 3,
  'backups.enabled': true,
  'backups.schedule': 'cron(0 6 * * ? *)',
  'backups.deleteAfterDays': 7,
  'backups.coldStorageAfterDays': 30,
  'key.deletionWindowDays': 9,
  'key.rotationDays': 90,
};

/** A setting at the top of the file, or several of them, with a value for every key that a path can lead to. */
export const wholeSamples: readonly Readonly<Record<string, unknown>>[] = [
  { production: true },
  { production: false },
  { account: '012345678901' },
  { systems: ['oms', 'markets'] },
  { protect: true },
  { priceRegion: 'eu-west-1' },
  { dashboards: false },
  { ephemeral: true },
  { environment: 'production' },
  { contributorInsights: 'throttled' },
  {
    ci: {
      provider: 'arn:aws:iam::111122223333:oidc-provider/token.actions.githubusercontent.com',
      audience: 'sts.amazonaws.com',
      deploy: ['repo:desk/trading:environment:prod'],
      migrate: ['repo:desk/trading:ref:refs/heads/main'],
    },
  },
  {
    backups: {
      copyTo: { vaultArn: 'arn:aws:backup:eu-west-1:444455556666:backup-vault:far', deleteAfterDays: 90 },
      lock: { minDays: 7, maxDays: 90 },
    },
  },
  { pauseOnAlarms: ['checkout errors', '4711'] },
  { tags: { costCentre: '4711', nightly: 'true', leading: '0815' } },
  { billing: { mode: 'on-demand', maximum: 'off' } },
  { billing: { mode: 'on-demand', maximum: { read: 5, write: 'off' } } },
  {
    tables: {
      orders: {
        billing: { mode: 'on-demand', maximum: { write: 5 }, indexes: { orders_by_owner: { read: 1, write: 2 } } },
        baseName: 'desk-orders',
        pitr: { enabled: true, recoveryDays: 7 },
        backups: false,
        contributorInsights: 'off',
        warm: { read: 15000, write: 5000, indexes: { orders_by_owner: { write: 6000 } } },
        tags: { Project: 'desk' },
        stream: 'NEW_IMAGE',
        tableClass: 'STANDARD_INFREQUENT_ACCESS',
        alarms: { readLatency: { enabled: true, threshold: 0.5, periodSeconds: 120, periods: 3 } },
      },
      'crypto-backtest-results': {
        billing: {
          mode: 'provisioned',
          read: 5,
          write: 6,
          max: { read: 50, write: 60 },
          indexes: { StatusIndex: { read: 1, max: { read: 9 } } },
          targetUtilization: 50,
          drift: 'correct',
        },
        alarms: { ttlDeletions: { from: '2027-03-01' } },
      },
    },
  },
  {
    roles: {
      api: {
        policies: ['application-read', 'exporter'],
        systems: ['oms'],
        principals: ['arn:aws:iam::111122223333:role/ci'],
        services: ['lambda.amazonaws.com'],
      },
    },
  },
  { exportBucket: { lifecycle: [{ prefix: 'exports/', transition: { days: 30, storageClass: 'GLACIER' }, expireDays: 90 }] } },
];
