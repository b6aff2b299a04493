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

/** An alarm on one metric going over its threshold. */
export function metricAlarm(
  { id, name, description, tags }: AlarmName,
  { threshold, periodSeconds, periods }: AlarmValues,
  { metricName, dimensions, namespace: own = namespace }: Metric,
  statistic: 'Sum' | 'Maximum' = 'Sum',
): AlarmArgs {
  return {
    id,
    name,
    alarmDescription: description,
    comparisonOperator: 'GreaterThanThreshold',
    threshold,
    evaluationPeriods: periods,
    // DynamoDB sends nothing when there is nothing to count.
    treatMissingData: 'notBreaching',
    tags: { ...tags },
    namespace: own,
    metricName,
    dimensions: { ...dimensions },
    statistic,
    period: periodSeconds,
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
  { id, name, description, tags }: AlarmName,
  { threshold, periodSeconds, periods }: AlarmValues,
  { series, expression, label, comparison = 'GreaterThanThreshold' }: Expression,
): AlarmArgs {
  if (series.length > metricsPerAlarm) {
    throw new RangeError(`alarm ${name}: ${series.length} metrics, an alarm takes at most ${metricsPerAlarm}`);
  }
  const inputs = series.map(({ id, metricName, dimensions, stat }) => ({
    id,
    metric: { namespace, metricName, dimensions: { ...dimensions }, period: periodSeconds, stat },
  }));
  return {
    id,
    name,
    alarmDescription: description,
    comparisonOperator: comparison,
    threshold,
    evaluationPeriods: periods,
    treatMissingData: 'notBreaching',
    tags: { ...tags },
    metricQueries: [{ id: 'outcome', expression, label, returnData: true }, ...inputs],
  };
}

/** An alarm on a Metrics Insights query, which adds up whatever fits it: more metrics than a calculation takes. */
export function queryAlarm(
  { id, name, description, tags }: AlarmName,
  { threshold, periodSeconds, periods }: AlarmValues,
  { query, label }: { readonly query: string; readonly label: string },
): AlarmArgs {
  return {
    id,
    name,
    alarmDescription: description,
    comparisonOperator: 'GreaterThanThreshold',
    threshold,
    evaluationPeriods: periods,
    treatMissingData: 'notBreaching',
    tags: { ...tags },
    metricQueries: [{ id: 'outcome', expression: query, period: periodSeconds, label, returnData: true }],
  };
}

/** The sum of series that have gaps; a gap would make the whole sum disappear. */
export function filledSum(series: readonly Pick<AlarmSeries, 'id'>[]): string {
  return series.map(({ id }) => `FILL(${id}, 0)`).join(' + ');
}
