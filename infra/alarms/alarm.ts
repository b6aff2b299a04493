import type { AlarmValues } from '../../tables/model/stack/config/alarms.ts';
import type { Tags } from '../../tables/model/stack/tags.ts';
import { type Metric, namespace } from './metrics.ts';

type Comparison = 'GreaterThanThreshold' | 'GreaterThanOrEqualToThreshold' | 'LessThanThreshold';

interface MetricQuery {
  readonly id: string;
  readonly expression?: string;
  readonly period?: number;
  readonly label?: string;
  readonly returnData?: boolean;
  readonly metric?: {
    readonly namespace: string;
    readonly metricName: string;
    readonly dimensions: Record<string, string>;
    readonly period: number;
    readonly stat: string;
  };
}

/** The arguments of `aws.cloudwatch.MetricAlarm`, all but the actions, and the logical name of the resource. */
export interface AlarmArgs {
  readonly id: string;
  readonly name: string;
  readonly alarmDescription: string;
  readonly comparisonOperator: Comparison;
  readonly threshold: number;
  readonly evaluationPeriods: number;
  readonly treatMissingData: 'notBreaching';
  readonly tags: Record<string, string>;
  readonly namespace?: string;
  readonly metricName?: string;
  readonly dimensions?: Record<string, string>;
  readonly statistic?: 'Sum' | 'Maximum';
  readonly period?: number;
  readonly metricQueries?: MetricQuery[];
}

export interface AlarmName {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: Tags;
}

/** What every alarm has, whatever it looks at. */
function anyAlarm(
  { id, name, description, tags }: AlarmName,
  { threshold, periods }: AlarmValues,
  comparisonOperator: Comparison = 'GreaterThanThreshold',
): AlarmArgs {
  return {
    id,
    name,
    alarmDescription: description,
    comparisonOperator,
    threshold,
    evaluationPeriods: periods,
    // DynamoDB sends nothing when there is nothing to count.
    treatMissingData: 'notBreaching',
    tags: { ...tags },
  };
}

/** An alarm on one metric going over its threshold. */
export function metricAlarm(
  named: AlarmName,
  values: AlarmValues,
  { metricName, dimensions, namespace: own = namespace }: Metric,
  statistic: 'Sum' | 'Maximum' = 'Sum',
): AlarmArgs {
  return {
    ...anyAlarm(named, values),
    namespace: own,
    metricName,
    dimensions: { ...dimensions },
    statistic,
    period: values.periodSeconds,
  };
}

export interface AlarmSeries extends Metric {
  readonly id: string;
  readonly stat: 'Sum' | 'SampleCount' | 'p99';
}

export interface Expression {
  readonly series: readonly AlarmSeries[];
  readonly expression: string;
  readonly label: string;
  readonly comparison?: Comparison;
}

/** An alarm on an expression may take this many metrics and no more (CloudWatch User Guide, "Limits" of alarms). */
export const metricsPerAlarm = 10;

/** An alarm on the outcome of a calculation over several metrics. */
export function mathAlarm(
  named: AlarmName,
  values: AlarmValues,
  { series, expression, label, comparison }: Expression,
): AlarmArgs {
  if (series.length > metricsPerAlarm) {
    throw new RangeError(`alarm ${named.name}: ${series.length} metrics, an alarm takes at most ${metricsPerAlarm}`);
  }
  const inputs = series.map(({ id, metricName, dimensions, stat }) => ({
    id,
    metric: { namespace, metricName, dimensions: { ...dimensions }, period: values.periodSeconds, stat },
  }));
  const outcome = { id: 'outcome', expression, label, returnData: true };
  return { ...anyAlarm(named, values, comparison), metricQueries: [outcome, ...inputs] };
}

/** An alarm on a Metrics Insights query, which adds up whatever fits it: more metrics than a calculation takes. */
export function queryAlarm(
  named: AlarmName,
  values: AlarmValues,
  { query, label }: { readonly query: string; readonly label: string },
): AlarmArgs {
  const outcome = { id: 'outcome', expression: query, period: values.periodSeconds, label, returnData: true };
  return { ...anyAlarm(named, values), metricQueries: [outcome] };
}

/** The sum of series that have gaps; a gap would make the whole sum disappear. */
export function filledSum(series: readonly Pick<AlarmSeries, 'id'>[]): string {
  return series.map(({ id }) => `FILL(${id}, 0)`).join(' + ');
}
