import type { Table } from '../../tables/model/table.ts';
import { type AlarmValues, alarmDefaults, resolveAlarm, type TableAlarmKind } from '../../tables/stack-config/alarms.ts';
import { billingOf, type StackConfig } from '../../tables/stack-config.ts';
import { type AlarmArgs, metricAlarm } from './alarm.ts';
import { ofCapacity } from './metrics.ts';
import { namer } from './namer.ts';
import { readLatency, systemErrors, ttlDeletions, writeFailures } from './table-expressions.ts';
import { ttlDefaults } from './ttl-window.ts';

/** Every alarm of a table and of each of its indexes. */
export function tableAlarms(table: Table, config: StackConfig): readonly AlarmArgs[] {
  if (!config.alarms.enabled) return [];
  return [
    ...throttleAlarms(table, config),
    ...maximumAlarms(table, config),
    ...when('systemErrors', table, config, (values) => systemErrors(namer(table, config), values)),
    ...when('readLatency', table, config, (values) => readLatency(namer(table, config), values)),
    ...when('writeFailures', table, config, (values) => writeFailures(namer(table, config), values)),
    ...when('ttlDeletions', table, config, (values) => ttlDeletions(namer(table, config), values)),
  ];
}

/** The values of an alarm kind for a table, when it is on. */
function when(
  kind: TableAlarmKind,
  table: Table,
  config: StackConfig,
  make: (values: AlarmValues) => readonly AlarmArgs[],
): readonly AlarmArgs[] {
  const usual = kind === 'ttlDeletions' ? ttlDefaults(table) : alarmDefaults[kind];
  if (usual === undefined) return [];
  const values = resolveAlarm(usual, config.alarms[kind], config.tables[table.name]?.alarms?.[kind]);
  return values.enabled ? make(values) : [];
}

/** The table itself and each index: DynamoDB counts them apart. */
function parts(table: Table): readonly (string | undefined)[] {
  return [undefined, ...table.indexes.map(({ name }) => name)];
}

function throttleAlarms(table: Table, config: StackConfig): readonly AlarmArgs[] {
  return parts(table).flatMap((index) => {
    const { table: physical, about, name } = namer(table, config, index);
    return [
      ...when('readThrottles', table, config, (values) => [
        metricAlarm(
          name('read-throttles', `Reads of ${about} are throttled`),
          values,
          ofCapacity('ReadThrottleEvents', physical, index),
        ),
      ]),
      ...when('writeThrottles', table, config, (values) => [
        metricAlarm(
          name('write-throttles', `Writes of ${about} are throttled`),
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
  return parts(table).flatMap((index) => {
    const limit = index === undefined ? billing.table : billing.indexes[index];
    if (limit === undefined) return [];
    const { table: physical, about, name } = namer(table, config, index);
    return when('onDemandMaximum', table, config, (values) => [
      metricAlarm(
        name('read-maximum', `Reads of ${about} reached the maximum of ${limit.read} units`),
        values,
        ofCapacity('ReadMaxOnDemandThroughputThrottleEvents', physical, index),
      ),
      metricAlarm(
        name('write-maximum', `Writes of ${about} reached the maximum of ${limit.write} units`),
        values,
        ofCapacity('WriteMaxOnDemandThroughputThrottleEvents', physical, index),
      ),
    ]);
  });
}
