import { z } from 'zod';
import { day } from './day.ts';
import { endpointProblem, subscriptionProtocols } from './endpoint.ts';
import { amount, choiceSetting, flagSetting, textSetting, whole } from './values.ts';

/**
 * CloudWatch looks back at most a day, or a week when the period is an hour or more
 * (PutMetricAlarm, `EvaluationPeriods` and `Period`).
 */
const secondsPerHour = 3_600;
export const longestWindowSeconds = { shortPeriods: 86_400, longPeriods: 604_800 } as const;

/** What each kind of alarm counts, in the words of its setting. */
const counted = {
  readThrottles: 'throttled reads',
  writeThrottles: 'throttled writes',
  systemErrors: 'failed requests',
  readLatency: 'milliseconds',
  writeFailures: 'percent',
  ttlDeletions: 'items that expire per period',
  onDemandMaximum: 'throttled requests',
  keyRangeThrottles: 'throttled requests',
  accountLimits: 'percent',
  userErrors: 'wrong requests',
  backupFailures: 'failed backups',
  drift: 'differences',
} as const;

const settings = (of: string) => ({
  enabled: flagSetting.optional(),
  threshold: amount({ min: 0, of }).optional(),
  periodSeconds: whole({ min: 60, of: 'seconds' })
    .refine((given) => given % 60 === 0, { error: ({ input }) => `expected a multiple of 60 seconds, found ${input}` })
    .optional(),
  /** How many periods in a row must be over the threshold. */
  periods: whole({ min: 1, of: 'periods' }).optional(),
});

const rule = (kind: keyof typeof counted) => z.strictObject(settings(counted[kind])).optional();

const everyTable = {
  readThrottles: rule('readThrottles'),
  writeThrottles: rule('writeThrottles'),
  systemErrors: rule('systemErrors'),
  /** Threshold in milliseconds, on the 99th percentile. */
  readLatency: rule('readLatency'),
  /** Threshold in percent. */
  writeFailures: rule('writeFailures'),
  /** Threshold: the fewest deletions per period while the table is written to. */
  ttlDeletions: z
    .strictObject({
      ...settings(counted.ttlDeletions),
      /** The day from which items must have expired; before it the alarm stays silent. */
      from: day.optional(),
    })
    .optional(),
  onDemandMaximum: rule('onDemandMaximum'),
  /** Partitions that are used more than one partition takes, of a table or an index. */
  keyRangeThrottles: rule('keyRangeThrottles'),
};

const everyStack = {
  /** Threshold in percent of the account's provisioned capacity. */
  accountLimits: rule('accountLimits'),
  userErrors: rule('userErrors'),
  /** Where there are backups. */
  backupFailures: rule('backupFailures'),
  /** Where drift is looked for by a schedule. */
  drift: rule('drift'),
};

export interface AlarmRule {
  readonly enabled?: boolean | undefined;
  readonly threshold?: number | undefined;
  readonly periodSeconds?: number | undefined;
  readonly periods?: number | undefined;
}

export const tableAlarmsSchema = z.strictObject(everyTable);

const subscription = z
  .strictObject({ protocol: choiceSetting(subscriptionProtocols), endpoint: textSetting })
  .superRefine(({ protocol, endpoint }, context) => {
    const message = endpointProblem(protocol, endpoint);
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['endpoint'], message });
  });

/** SNS keeps one subscription for an endpoint (Subscribe); a second would be the same. */
const subscriptions = z.array(subscription).superRefine((given, context) => {
  const names = given.map(({ protocol, endpoint }) => `${protocol} ${endpoint}`);
  names.forEach((name, at) => {
    const first = names.indexOf(name);
    if (first === at) return;
    context.addIssue({
      code: 'custom',
      path: [at, 'endpoint'],
      message: `expected another endpoint than that of entry ${first}`,
    });
  });
});

export const alarmsSchema = z.strictObject({
  enabled: flagSetting.default(true),
  subscriptions: subscriptions.default([]),
  ...everyTable,
  ...everyStack,
});

export type TableAlarmSettings = z.output<typeof tableAlarmsSchema>;
export type TableAlarmKind = keyof typeof everyTable;
export type StackAlarmKind = keyof typeof everyStack;
export type AlarmKind = TableAlarmKind | StackAlarmKind;

export interface AlarmValues {
  readonly enabled: boolean;
  readonly threshold: number;
  readonly periodSeconds: number;
  readonly periods: number;
}

const usual = { enabled: true, periodSeconds: 300, periods: 2 };

/** The sources' figures; where they give none, the nearest of their figures. */
export const alarmDefaults: Readonly<Record<AlarmKind, AlarmValues>> = {
  readThrottles: { ...usual, threshold: 10 },
  writeThrottles: { ...usual, threshold: 10 },
  systemErrors: { ...usual, threshold: 5, periods: 1 },
  readLatency: { ...usual, threshold: 100 },
  writeFailures: { ...usual, threshold: 1 },
  ttlDeletions: { ...usual, threshold: 1, periodSeconds: 86_400, periods: 3 },
  onDemandMaximum: { ...usual, threshold: 0, periods: 1 },
  accountLimits: { ...usual, threshold: 80 },
  userErrors: { ...usual, threshold: 10 },
  keyRangeThrottles: { ...usual, threshold: 10 },
  backupFailures: { ...usual, threshold: 0, periodSeconds: 3_600, periods: 1 },
  drift: { ...usual, threshold: 0, periodSeconds: 86_400, periods: 1 },
};

/** Alarms on a Metrics Insights query; those look back three hours and no further (CloudWatch User Guide, "Limits" of alarms). */
const queried: readonly AlarmKind[] = ['systemErrors', 'backupFailures'];
const longestQuerySeconds = 10_800;

/** The values of an alarm: its default, then the stack's words on it, then the table's. */
export function resolveAlarm(usual: AlarmValues, stack: AlarmRule | undefined, table?: AlarmRule): AlarmValues {
  return {
    enabled: table?.enabled ?? stack?.enabled ?? usual.enabled,
    threshold: table?.threshold ?? stack?.threshold ?? usual.threshold,
    periodSeconds: table?.periodSeconds ?? stack?.periodSeconds ?? usual.periodSeconds,
    periods: table?.periods ?? stack?.periods ?? usual.periods,
  };
}

/** What is wrong with an alarm's window, if anything: CloudWatch would refuse it in the middle of a deployment. */
export function windowProblem(kind: AlarmKind, { periodSeconds, periods }: AlarmValues): string | undefined {
  const usualLongest = periodSeconds < secondsPerHour ? longestWindowSeconds.shortPeriods : longestWindowSeconds.longPeriods;
  const longest = queried.includes(kind) ? longestQuerySeconds : usualLongest;
  const window = periodSeconds * periods;
  if (window <= longest) return undefined;
  return `expected periodSeconds × periods to be at most ${longest} s, found ${periodSeconds} × ${periods} = ${window} s`;
}
