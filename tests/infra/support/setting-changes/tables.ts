import type { Settings } from '../stack-file.ts';
import { both, made, type SettingChange } from './change.ts';

const results = 'crypto-backtest-results';
const own = (settings: object): Settings => ({ tables: { [results]: settings } });
const onDemand = (settings: object = {}): Settings => ({ billing: { mode: 'on-demand', ...settings } });
const maximum = { read: 7, write: 8 };
const capacity = { mode: 'provisioned', read: 10, write: 20 };
const max = { read: 100, write: 200 };
const provisioned = (settings: object = {}): Settings => ({ billing: { ...capacity, ...settings } });

/** `drift: correct` first, where Pulumi would go on ignoring a capacity that is not there yet. */
const written = (settings: Settings) => ({
  settings,
  refused: /^dynamodb\.Table crypto-backtest-results: write capacity must be > 0 when billing mode is PROVISIONED$/,
  commands: [
    'npx pulumi config set --path tablewright:billing.drift correct -s dev && npx pulumi up -s dev',
    'npx pulumi config rm --path tablewright:billing.drift -s dev && npx pulumi up -s dev',
  ],
});

const newMaximum = [
  'update dynamodb.Table ×1: globalSecondaryIndexes, onDemandThroughput',
  'update dynamodb.Table ×2: onDemandThroughput',
];
const turned = [
  'update dynamodb.Table ×1: billingMode, globalSecondaryIndexes, readCapacity, writeCapacity',
  'update dynamodb.Table ×2: billingMode, readCapacity, writeCapacity',
];

export const tableChanges: readonly SettingChange[] = [
  {
    keys: ['pitr.enabled'],
    stack: 'dev',
    to: { pitr: { enabled: true } },
    ...both('update dynamodb.Table ×3: pointInTimeRecovery'),
  },
  {
    keys: ['pitr.recoveryDays'],
    stack: 'prod',
    to: { pitr: { recoveryDays: 7 } },
    ...both('update dynamodb.Table ×3: pointInTimeRecovery'),
  },
  {
    keys: ['billing', 'mode: on-demand', 'mode: provisioned', 'drift'],
    stack: 'dev',
    from: onDemand(),
    to: provisioned({ max }),
    there: [],
    back: ['delete appautoscaling.Policy ×12', 'delete appautoscaling.Target ×12', ...turned],
    betweenThere: written(provisioned({ max, drift: 'correct' })),
  },
  {
    keys: ['tables.<name>.baseName'],
    stack: 'dev',
    to: own({ baseName: 'desk-results' }),
    ...both(
      'replace dynamodb.Table ×1: name',
      'update cloudwatch.Dashboard ×1: dashboardBody',
      'update cloudwatch.MetricAlarm ×16: alarmDescription, dimensions',
      'update cloudwatch.MetricAlarm ×1: alarmDescription, metricQueries',
      'update iam.Policy ×10: policy',
    ),
  },
  {
    keys: ['tables.<name>.pitr'],
    stack: 'prod',
    to: own({ pitr: { enabled: false } }),
    ...both('update dynamodb.Table ×1: pointInTimeRecovery'),
  },
  {
    keys: ['tables.<name>.backups'],
    stack: 'prod',
    to: own({ backups: false }),
    ...both('update backup.Selection ×1: resources'),
  },
  {
    keys: ['tables.<name>.contributorInsights'],
    stack: 'dev',
    to: own({ contributorInsights: 'throttled' }),
    ...made('dynamodb.ContributorInsights ×4'),
  },
  {
    keys: ['tables.<name>.warm'],
    stack: 'dev',
    to: own({ warm: { read: 15_000 } }),
    there: [],
    back: ['update dynamodb.Table ×1: warmThroughput'],
  },
  {
    keys: ['tables.<name>.tags'],
    stack: 'dev',
    to: own({ tags: { Project: 'desk' } }),
    ...both('update cloudwatch.MetricAlarm ×17: tags', 'update dynamodb.Table ×1: tags'),
  },
  {
    keys: ['tables.<name>.billing'],
    stack: 'prod',
    to: own({ billing: { mode: 'on-demand' } }),
    there: [
      'delete appautoscaling.Policy ×8',
      'delete appautoscaling.Target ×8',
      'update dynamodb.Table ×1: billingMode, globalSecondaryIndexes, readCapacity, writeCapacity',
    ],
    back: [],
    betweenBack: written(own({ billing: { ...capacity, max, drift: 'correct' } })),
  },
  {
    keys: ['tables.<name>.stream'],
    stack: 'prod',
    to: own({ stream: 'NEW_IMAGE' }),
    // Whoever reads it gets a policy of its own.
    there: ['create iam.Policy ×1', 'update dynamodb.Table ×1: streamEnabled, streamViewType'],
    back: ['delete iam.Policy ×1', 'update dynamodb.Table ×1: streamEnabled, streamViewType'],
  },
  {
    keys: ['tables.<name>.stream'],
    stack: 'prod',
    from: own({ stream: 'KEYS_ONLY' }),
    to: own({ stream: 'NEW_IMAGE' }),
    ...both('update dynamodb.Table ×1: streamViewType'),
  },
  {
    keys: ['tables.<name>.tableClass'],
    stack: 'prod',
    to: own({ tableClass: 'STANDARD_INFREQUENT_ACCESS' }),
    ...both('update dynamodb.Table ×1: tableClass'),
  },
  {
    keys: ['tables.<name>.alarms'],
    stack: 'prod',
    to: own({ alarms: { readLatency: { threshold: 5 } } }),
    ...both('update cloudwatch.MetricAlarm ×1: alarmDescription, threshold'),
  },
  {
    keys: ['maximum.read', 'maximum.write'],
    stack: 'dev',
    from: onDemand({ maximum }),
    to: onDemand({ maximum: 'off' }),
    there: ['delete cloudwatch.MetricAlarm ×12', ...newMaximum],
    back: ['create cloudwatch.MetricAlarm ×12', ...newMaximum],
  },
  {
    keys: ['maximum.write'],
    stack: 'dev',
    from: onDemand({ maximum }),
    to: onDemand({ maximum: { read: 7 } }),
    there: ['delete cloudwatch.MetricAlarm ×6', ...newMaximum],
    back: ['create cloudwatch.MetricAlarm ×6', ...newMaximum],
  },
  {
    keys: ['indexes.<name>'],
    stack: 'dev',
    from: own({ billing: { mode: 'on-demand', maximum } }),
    to: own({ billing: { mode: 'on-demand', maximum, indexes: { StatusIndex: 'off' } } }),
    there: ['delete cloudwatch.MetricAlarm ×2', 'update dynamodb.Table ×1: globalSecondaryIndexes'],
    back: ['create cloudwatch.MetricAlarm ×2', 'update dynamodb.Table ×1: globalSecondaryIndexes'],
  },
  {
    keys: ['read', 'write'],
    stack: 'prod',
    from: provisioned(),
    to: provisioned({ read: 11, write: 21 }),
    ...both(
      'update dynamodb.Table ×1: globalSecondaryIndexes, readCapacity, writeCapacity',
      'update dynamodb.Table ×2: readCapacity, writeCapacity',
    ),
  },
  {
    keys: ['read'],
    stack: 'prod',
    from: provisioned({ max }),
    to: provisioned({ max, read: 11 }),
    ...both('update appautoscaling.Target ×6: minCapacity'),
  },
  {
    keys: ['max.read', 'max.write'],
    stack: 'prod',
    from: provisioned(),
    to: provisioned({ max }),
    ...made('appautoscaling.Policy ×12', 'appautoscaling.Target ×12'),
  },
  {
    keys: ['max.read'],
    stack: 'prod',
    from: provisioned(),
    to: provisioned({ max: { read: 50 } }),
    ...made('appautoscaling.Policy ×6', 'appautoscaling.Target ×6'),
  },
  {
    keys: ['indexes.<name>'],
    stack: 'prod',
    from: own({ billing: { ...capacity, max } }),
    to: own({ billing: { ...capacity, max, indexes: { StatusIndex: { read: 1, write: 1 } } } }),
    there: [
      'delete appautoscaling.Policy ×2',
      'delete appautoscaling.Target ×2',
      'update dynamodb.Table ×1: globalSecondaryIndexes',
    ],
    // Auto scaling brings the capacity to its lower bound; Pulumi leaves it alone from then on.
    back: ['create appautoscaling.Policy ×2', 'create appautoscaling.Target ×2'],
  },
  {
    keys: ['targetUtilization'],
    stack: 'prod',
    from: provisioned({ max }),
    to: provisioned({ max, targetUtilization: 50 }),
    ...both('update appautoscaling.Policy ×12: targetTrackingScalingPolicyConfiguration'),
  },
  { keys: ['drift'], stack: 'prod', from: provisioned({ max }), to: provisioned({ max, drift: 'correct' }), ...both() },
];
