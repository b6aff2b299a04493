import type { Settings } from '../stack-file.ts';
import { both, made, type SettingChange, taken } from './change.ts';

const onDemand: Settings = { billing: { mode: 'on-demand', maximum: { read: 7, write: 8 } } };
const subscriptions = (...endpoints: readonly string[]): Settings => ({
  alarms: { subscriptions: endpoints.map((endpoint) => ({ protocol: 'email', endpoint })) },
});

const alarm = (name: string, count: number, changed: string): SettingChange => ({
  keys: [name],
  stack: 'prod',
  to: { alarms: { [name]: { threshold: 3, periods: 3 } } },
  ...both(`update cloudwatch.MetricAlarm ×${count}: ${changed}`),
});

export const alarmChanges: readonly SettingChange[] = [
  { keys: ['alarms.enabled'], stack: 'prod', to: { alarms: { enabled: false } }, ...taken('cloudwatch.MetricAlarm ×42') },
  {
    keys: ['alarms.subscriptions'],
    stack: 'prod',
    to: subscriptions('a@example.com'),
    ...made('sns.TopicSubscription ×1'),
  },
  {
    keys: ['alarms.subscriptions'],
    stack: 'prod',
    from: subscriptions('a@example.com'),
    to: subscriptions('b@example.com'),
    ...both('create sns.TopicSubscription ×1', 'delete sns.TopicSubscription ×1'),
  },
  {
    // Those behind the one that is taken out stay what they are.
    keys: ['alarms.subscriptions'],
    stack: 'prod',
    from: subscriptions('a@example.com', 'b@example.com', 'c@example.com'),
    to: subscriptions('b@example.com', 'c@example.com'),
    ...taken('sns.TopicSubscription ×1'),
  },
  { keys: ['dashboards'], stack: 'dev', to: { dashboards: false }, ...taken('cloudwatch.Dashboard ×2') },
  alarm('readThrottles', 6, 'evaluationPeriods, threshold'),
  alarm('writeThrottles', 6, 'evaluationPeriods, threshold'),
  alarm('keyRangeThrottles', 12, 'evaluationPeriods, threshold'),
  alarm('backupFailures', 1, 'evaluationPeriods, threshold'),
  {
    keys: ['drift'],
    stack: 'dev',
    from: { schedules: { bundle: 'package.json', drift: { enabled: true } } },
    to: { schedules: { bundle: 'package.json', drift: { enabled: true } }, alarms: { drift: { threshold: 2 } } },
    ...both(),
  },
  alarm('systemErrors', 3, 'evaluationPeriods, threshold'),
  alarm('readLatency', 3, 'alarmDescription, evaluationPeriods, threshold'),
  alarm('writeFailures', 6, 'alarmDescription, evaluationPeriods, threshold'),
  alarm('accountLimits', 2, 'alarmDescription, evaluationPeriods, threshold'),
  alarm('userErrors', 1, 'evaluationPeriods, threshold'),
  {
    keys: ['ttlDeletions'],
    stack: 'prod',
    to: { alarms: { ttlDeletions: { from: '2027-01-01' } } },
    ...both('update cloudwatch.MetricAlarm ×2: metricQueries'),
  },
  {
    keys: ['onDemandMaximum'],
    stack: 'prod',
    from: onDemand,
    to: { ...onDemand, alarms: { onDemandMaximum: { enabled: false } } },
    ...taken('cloudwatch.MetricAlarm ×12'),
  },
];
