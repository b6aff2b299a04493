import { alarmName, alarmPrefix } from '../../tables/model/stack/alarm-names.ts';
import { physicalName, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import { tableTags } from '../../tables/model/stack/tags.ts';
import type { Table } from '../../tables/model/table.ts';
import type { AlarmName } from './alarm.ts';

/** How the alarms of a table, or of one of its indexes, are called. */
export interface Namer {
  readonly table: string;
  readonly about: string;
  name(what: string, description: string): AlarmName;
}

export function namer(table: Table, config: StackConfig, index?: string): Namer {
  const physical = physicalName(table, config);
  const about = index === undefined ? `table ${physical}` : `index ${index} of table ${physical}`;
  const prefix = alarmPrefix(table, index);
  return {
    table: physical,
    about,
    name: (what, description) => ({
      id: `${prefix}-${what}`,
      name: alarmName(config, prefix, what),
      description,
      tags: tableTags(table, config),
    }),
  };
}
