import type { Table } from '../table.ts';
import type { StackConfig } from './stack-config.ts';

export type Tags = Readonly<Record<string, string>>;

type Tagging = Pick<StackConfig, 'stack' | 'tags' | 'environment'>;

function environmentOf({ stack, environment }: Tagging): string {
  return environment ?? stack;
}

/** Of everything in a stack that is not a table. */
export function stackTags(config: Tagging & Pick<StackConfig, 'project'>): Tags {
  return { ...config.tags, Environment: environmentOf(config), Service: config.project };
}

/** However a table is made: deployed, created here, imported or restored. */
export function tableTags(table: Pick<Table, 'name' | 'system'>, config: Tagging & Pick<StackConfig, 'tables'>): Tags {
  const own = config.tables[table.name]?.tags;
  const service = own?.Service ?? table.system;
  return { ...config.tags, ...own, Environment: environmentOf(config), Service: service, Table: table.name };
}
