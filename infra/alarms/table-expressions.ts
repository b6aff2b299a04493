import type { AlarmValues } from '../../tables/model/stack/config/alarms.ts';
import { startOfDaySeconds } from '../../tables/model/stack/config/day.ts';
import type { TtlAlarm } from '../../tables/model/stack/config/ttl-alarm.ts';
import { type AlarmArgs, type AlarmSeries, filledSum, mathAlarm, queryAlarm } from './alarm.ts';
import { bulkWrites, itemWrites, namespace, ofCapacity, ofOperation, ofTable, type WatchedOperation } from './metrics.ts';
import type { Namer } from './namer.ts';

/**
 * DynamoDB counts system errors per operation, and there are more operations than a calculation takes metrics. A query adds all of
 * them up, those included that come later: three failed reads and three failed writes are six errors.
 */
export function systemErrors({ table, about, name }: Namer, values: AlarmValues): readonly AlarmArgs[] {
  const query = `SELECT SUM(SystemErrors) FROM SCHEMA("${namespace}", Operation, TableName) WHERE TableName = '${table}'`;
  return [
    queryAlarm(name('system-errors', `DynamoDB failed requests of ${about} by its own fault`), values, {
      query,
      label: 'system errors',
    }),
  ];
}

/** Scans are left out: a page of one megabyte takes its time, and migrations scan. */
const timedReads = ['GetItem', 'BatchGetItem', 'Query', 'TransactGetItems'] as const;

/** The slowest operation decides: percentiles of several operations cannot be merged into one. */
export function readLatency({ table, about, name }: Namer, values: AlarmValues): readonly AlarmArgs[] {
  const series = timedReads.map((operation, at): AlarmSeries => {
    return { id: `m${at}`, stat: 'p99', ...ofOperation('SuccessfulRequestLatency', table, operation) };
  });
  return [
    mathAlarm(name('read-latency', `One read in a hundred of ${about} takes longer than ${values.threshold} ms`), values, {
      series,
      expression: `MAX([${series.map(({ id }) => `FILL(${id}, 0)`).join(', ')}])`,
      label: 'p99 of reads, ms',
    }),
  ];
}

/**
 * Failed writes in percent of all: three metrics for each operation, so three operations fill an alarm. The successful
 * ones are the sample count of their latency; consumed capacity counts units, not requests.
 */
export function writeFailures({ table, about, name }: Namer, values: AlarmValues): readonly AlarmArgs[] {
  const alarm = (what: string, kind: string, operations: readonly WatchedOperation[]) => {
    const errors = operations.map((operation, at): AlarmSeries => {
      return { id: `e${at}`, stat: 'Sum', ...ofOperation('SystemErrors', table, operation) };
    });
    const throttled = operations.map((operation, at): AlarmSeries => {
      return { id: `t${at}`, stat: 'Sum', ...ofOperation('ThrottledRequests', table, operation) };
    });
    const done = operations.map((operation, at): AlarmSeries => {
      return { id: `s${at}`, stat: 'SampleCount', ...ofOperation('SuccessfulRequestLatency', table, operation) };
    });
    const failed = filledSum([...errors, ...throttled]);
    const all = filledSum([...errors, ...throttled, ...done]);
    return mathAlarm(name(what, `More than ${values.threshold} % of the ${kind} writes of ${about} fail`), values, {
      series: [...errors, ...throttled, ...done],
      expression: `IF((${all}) > 0, 100 * (${failed}) / (${all}), 0)`,
      label: 'failed writes, %',
    });
  };
  return [alarm('item-write-failures', 'single', itemWrites), alarm('bulk-write-failures', 'batched', bulkWrites)];
}

/**
 * DynamoDB has no metric for how late TTL is. The nearest: the table is written to and yet hardly anything is deleted,
 * period after period. An idle table stays quiet, and so does any before the day that arms the alarm: EPOCH is the time of
 * each point in seconds since 1970 (CloudWatch User Guide, "Metric math syntax and functions").
 */
export function ttlDeletions({ table, about, name }: Namer, { from, ...values }: TtlAlarm): readonly AlarmArgs[] {
  const description = `Fewer than ${values.threshold} items of ${about} expire per ${values.periodSeconds} s although it is written to`;
  const armed = from === undefined ? '' : `EPOCH(written) >= ${startOfDaySeconds(from)} AND `;
  return [
    mathAlarm(
      name('ttl-deletions', description),
      { ...values, threshold: 1 },
      {
        series: [
          { id: 'deleted', stat: 'Sum', ...ofTable('TimeToLiveDeletedItemCount', table) },
          { id: 'written', stat: 'Sum', ...ofCapacity('ConsumedWriteCapacityUnits', table) },
        ],
        expression: `IF(${armed}FILL(written, 0) > 0 AND FILL(deleted, 0) < ${values.threshold}, 1, 0)`,
        label: 'TTL behind',
        comparison: 'GreaterThanOrEqualToThreshold',
      },
    ),
  ];
}
