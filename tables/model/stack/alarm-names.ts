import type { Table } from '../table.ts';
import { resourceName, type StackName } from './aws-place.ts';
import { alarmDefaults, resolveAlarm } from './config/alarms.ts';
import type { StackConfig } from './stack-config.ts';

/** How the names of the alarms of a table, or of one of its indexes, begin. */
export function alarmPrefix(table: Pick<Table, 'name'>, index: string | undefined): string {
  return index === undefined ? table.name : `${table.name}-${index}`;
}

/** The name of such an alarm in CloudWatch. The Pulumi program gives it, the command line asks by it. */
export function alarmName(config: StackName, prefix: string, what: string): string {
  return resourceName(config, prefix, what);
}

/** The table itself and each index: DynamoDB counts them apart. */
export function alarmedParts(table: Pick<Table, 'indexes'>): readonly (string | undefined)[] {
  return [undefined, ...table.indexes.map(({ name }) => name)];
}

const throttleKinds = { readThrottles: 'read-throttles', writeThrottles: 'write-throttles' } as const;

export type ThrottleKind = keyof typeof throttleKinds;

export const throttleName = (kind: ThrottleKind): string => throttleKinds[kind];

/** The alarms of a stack that ring when a table or an index is throttled: those that it deploys. */
export function throttleAlarmNames(
  tables: readonly Pick<Table, 'name' | 'indexes'>[],
  config: StackName & Pick<StackConfig, 'alarms' | 'tables'>,
): readonly string[] {
  if (!config.alarms.enabled) return [];
  const kinds = Object.keys(throttleKinds) as ThrottleKind[];
  return tables.flatMap((table) => {
    const own = config.tables[table.name]?.alarms;
    const on = kinds.filter((kind) => resolveAlarm(alarmDefaults[kind], config.alarms[kind], own?.[kind]).enabled);
    return alarmedParts(table).flatMap((index) =>
      on.map((kind) => alarmName(config, alarmPrefix(table, index), throttleKinds[kind])),
    );
  });
}
