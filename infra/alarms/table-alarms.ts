import { alarmedParts, throttleName } from '../../tables/model/stack/alarm-names.ts';
import { type AlarmValues, alarmDefaults, resolveAlarm, type TableAlarmKind } from '../../tables/model/stack/config/alarms.ts';
import type { Limits } from '../../tables/model/stack/config/billing.ts';
import { ttlAlarm } from '../../tables/model/stack/config/ttl-alarm.ts';
import { billingOf, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { type AlarmArgs, metricAlarm } from './alarm.ts';
import { ofCapacity } from './metrics.ts';
import { namer } from './namer.ts';
import { readLatency, systemErrors, ttlDeletions, writeFailures } from './table-expressions.ts';

/** Every alarm of a table and of each of its indexes. */
export function tableAlarms(table: Table, config: StackConfig): readonly AlarmArgs[] {
  if (!config.alarms.enabled) return [];
  return [
    ...throttleAlarms(table, config),
    ...maximumAlarms(table, config),
    ...keyRangeAlarms(table, config),
    ...when('systemErrors', table, config, (values) => systemErrors(namer(table, config), values)),
    ...when('readLatency', table, config, (values) => readLatency(namer(table, config), values)),
    ...when('writeFailures', table, config, (values) => writeFailures(namer(table, config), values)),
    ...ttlAlarms(table, config),
  ];
}

function ttlAlarms(table: Table, config: StackConfig): readonly AlarmArgs[] {
  const values = ttlAlarm(table, config.alarms.ttlDeletions, config.tables[table.name]?.alarms?.ttlDeletions);
  return values?.enabled ? ttlDeletions(namer(table, config), values) : [];
}

/** The values of an alarm kind for a table, when it is on. */
function when(
  kind: Exclude<TableAlarmKind, 'ttlDeletions'>,
  table: Table,
  config: StackConfig,
  make: (values: AlarmValues) => readonly AlarmArgs[],
): readonly AlarmArgs[] {
  const values = resolveAlarm(alarmDefaults[kind], config.alarms[kind], config.tables[table.name]?.alarms?.[kind]);
  return values.enabled ? make(values) : [];
}

function throttleAlarms(table: Table, config: StackConfig): readonly AlarmArgs[] {
  return alarmedParts(table).flatMap((index) => {
    const { table: physical, about, name } = namer(table, config, index);
    return [
      ...when('readThrottles', table, config, (values) => [
        metricAlarm(
          name(throttleName('readThrottles'), `Reads of ${about} are throttled`),
          values,
          ofCapacity('ReadThrottleEvents', physical, index),
        ),
      ]),
      ...when('writeThrottles', table, config, (values) => [
        metricAlarm(
          name(throttleName('writeThrottles'), `Writes of ${about} are throttled`),
          values,
          ofCapacity('WriteThrottleEvents', physical, index),
        ),
      ]),
    ];
  });
}

/** Only where a maximum is set: without one, DynamoDB never sends these metrics. */
function maximumAlarms(table: Table, config: StackConfig): readonly AlarmArgs[] {
  const billing = billingOf(table, config);
  if (billing.mode !== 'on-demand') return [];
  return alarmedParts(table).flatMap((index) => {
    const limit = index === undefined ? billing.table : billing.indexes[index];
    if (limit === undefined) return [];
    const { table: physical, about, name } = namer(table, config, index);
    const alarm = (way: 'Read' | 'Write', units: Limits['read']) =>
      units === 'off'
        ? []
        : when('onDemandMaximum', table, config, (values) => [
            metricAlarm(
              name(`${way.toLowerCase()}-maximum`, `${way}s of ${about} reached the maximum of ${units} units`),
              values,
              ofCapacity(`${way}MaxOnDemandThroughputThrottleEvents`, physical, index),
            ),
          ]);
    return [...alarm('Read', limit.read), ...alarm('Write', limit.write)];
  });
}

/** A partition takes 1,000 write and 3,000 read units a second, however much the table may use: a hot key shows here. */
function keyRangeAlarms(table: Table, config: StackConfig): readonly AlarmArgs[] {
  return alarmedParts(table).flatMap((index) => {
    const { table: physical, about, name } = namer(table, config, index);
    return when('keyRangeThrottles', table, config, (values) =>
      (['Read', 'Write'] as const).map((way) =>
        metricAlarm(
          name(`${way.toLowerCase()}-key-range-throttles`, `${way}s of ${about} go to one partition more than it takes`),
          values,
          ofCapacity(`${way}KeyRangeThroughputThrottleEvents`, physical, index),
        ),
      ),
    );
  });
}
