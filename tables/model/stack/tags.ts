import type { Table } from '../table.ts';
import { projectName, type StackConfig } from './stack-config.ts';

export type Tags = Readonly<Record<string, string>>;

/** Of everything in a stack that is not a table. */
export function stackTags(config: Pick<StackConfig, 'stack' | 'tags'>): Tags {
  return { ...config.tags, Environment: config.stack, Service: projectName };
}

/** However a table is made: deployed, created here, imported or restored. */
export function tableTags(table: Pick<Table, 'name' | 'system'>, config: Pick<StackConfig, 'stack' | 'tags'>): Tags {
  return { ...config.tags, Environment: config.stack, Service: table.system, Table: table.name };
}
