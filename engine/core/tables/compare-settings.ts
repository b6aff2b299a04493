import { physicalName, pitrOf, type StackConfig } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import { compareAttachments } from './compare-attachments.ts';
import type { TableDifference } from './compare-table.ts';
import { compareThroughput } from './compare-throughput.ts';
import type { DeployedTable } from './deployed-table.ts';

/**
 * The settings of a deployed table that its keys do not show. An engine on this machine makes tables without them, so only
 * stacks that Pulumi deploys are compared so.
 */
export function compareSettings(table: Table, config: StackConfig, found: DeployedTable): readonly TableDifference[] {
  const name = physicalName(table, config);
  const { settings } = found.description;
  const differs = (what: string, expected: string, actual: string): readonly TableDifference[] =>
    expected === actual ? [] : [{ table: name, what, expected, found: actual }];
  const onOff = (value: boolean) => (value ? 'on' : 'off');
  const own = config.tables[table.name];
  const pitr = pitrOf(table, config);
  const days = found.pitr?.recoveryDays;
  return [
    ...differs('deletion protection', onOff(config.protect), onOff(settings.deletionProtection)),
    ...differs('stream', own?.stream ?? 'off', settings.stream ?? 'off'),
    ...differs('table class', own?.tableClass ?? 'STANDARD', settings.tableClass),
    ...(found.pitr === undefined ? [] : differs('point-in-time recovery', onOff(pitr.enabled), onOff(found.pitr.enabled))),
    ...(pitr.enabled && found.pitr?.enabled === true && days !== undefined
      ? differs('recovery period', `${pitr.recoveryDays} days`, `${days} days`)
      : []),
    ...compareThroughput(table, config, found),
    ...compareAttachments(table, config, found.attachments),
  ];
}
