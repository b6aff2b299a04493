import { z } from 'zod';

/**
 * CloudWatch looks back at most a day, or a week when the period is an hour or more
 * (PutMetricAlarm, `EvaluationPeriods` and `Period`).
 */
const secondsPerHour = 3_600;
export const longestWindowSeconds = { shortPeriods: 86_400, longPeriods: 604_800 } as const;

const rule = z.strictObject({
  enabled: z.boolean().optional(),
  threshold: z.number().min(0).optional(),
  periodSeconds: z.int().min(60).multipleOf(60).optional(),
  /** How many periods in a row must be over the threshold. */
  periods: z.int().min(1).optional(),
});

export type AlarmRule = z.output<typeof rule>;

const everyTable = {
  readThrottles: rule.optional(),
  writeThrottles: rule.optional(),
  systemErrors: rule.optional(),
  /** Threshold in milliseconds, on the 99th percentile. */
  readLatency: rule.optional(),
  /** Threshold in percent. */
  writeFailures: rule.optional(),
  /** Threshold: the fewest deletions per period while the table is written to. */
  ttlDeletions: rule.optional(),
  onDemandMaximum: rule.optional(),
};

const everyStack = {
  /** Threshold in percent of the account's provisioned capacity. */
  accountLimits: rule.optional(),
  userErrors: rule.optional(),
};

export const tableAlarmsSchema = z.strictObject(everyTable);

/** The kinds of endpoint that the stack can subscribe by itself. */
export const subscriptionProtocols = ['email', 'email-json', 'https', 'sms', 'sqs', 'lambda'] as const;

export const alarmsSchema = z.strictObject({
  enabled: z.boolean().default(true),
  subscriptions: z.array(z.strictObject({ protocol: z.enum(subscriptionProtocols), endpoint: z.string().min(1) })).default([]),
  ...everyTable,
  ...everyStack,
});

export type AlarmSettings = z.output<typeof alarmsSchema>;
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
};

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
export function windowProblem({ periodSeconds, periods }: AlarmValues): string | undefined {
  const longest = periodSeconds < secondsPerHour ? longestWindowSeconds.shortPeriods : longestWindowSeconds.longPeriods;
  const window = periodSeconds * periods;
  if (window <= longest) return undefined;
  return `expected periodSeconds × periods to be at most ${longest} s, found ${periodSeconds} × ${periods} = ${window} s`;
}
