import { physicalName, pitrOf, type StackConfig } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import type { TableDescription } from '../store/store.ts';
import type { TableDifference } from './compare-table.ts';

/**
 * The settings of a deployed table that its keys do not show. An engine on this machine makes tables without them, so only
 * stacks that Pulumi deploys are compared so.
 */
export function compareSettings(
  table: Table,
  config: StackConfig,
  { settings }: TableDescription,
  pitr: boolean | undefined,
): readonly TableDifference[] {
  const name = physicalName(table, config);
  const differs = (what: string, expected: string, found: string): readonly TableDifference[] =>
    expected === found ? [] : [{ table: name, what, expected, found }];
  const onOff = (value: boolean) => (value ? 'on' : 'off');
  const own = config.tables[table.name];
  return [
    ...differs('deletion protection', onOff(config.protect), onOff(settings.deletionProtection)),
    ...differs('stream', own?.stream ?? 'off', settings.stream ?? 'off'),
    ...differs('table class', own?.tableClass ?? 'STANDARD', settings.tableClass),
    ...(pitr === undefined ? [] : differs('point-in-time recovery', onOff(pitrOf(table, config).enabled), onOff(pitr))),
  ];
}
