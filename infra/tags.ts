import type { Table } from '../tables/model/table.ts';
import { projectName, type StackConfig } from '../tables/stack-config.ts';

export type Tags = Readonly<Record<string, string>>;

export function stackTags(config: Pick<StackConfig, 'stack' | 'tags'>): Tags {
  return { ...config.tags, Environment: config.stack, Service: projectName };
}

export function tableTags(table: Pick<Table, 'name' | 'system'>, config: Pick<StackConfig, 'stack' | 'tags'>): Tags {
  return { ...config.tags, Environment: config.stack, Service: table.system, Table: table.name };
}
