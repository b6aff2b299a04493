import { physicalName, type StackConfig, stackKind } from '../../../tables/model/stack/stack-config.ts';
import type { Naming } from './draft-table.ts';

type Names = Pick<StackConfig, 'project' | 'stack' | 'nameSuffix' | 'production' | 'tables'>;

/** What a real table is called in the catalogue, and whether a stack would call it as it is called. */
export interface FoundNaming extends Pick<Naming, 'name' | 'suffix' | 'kind'> {
  readonly note?: string;
}

/** The base name of a table in a stack: the stack's suffix is taken off, where the name has it. */
export function baseNaming(tableName: string, config: Names): FoundNaming {
  const kind = stackKind(config);
  for (const suffix of ['outside-prod', 'always'] as const) {
    const end = physicalName({ name: '', suffix }, config);
    const name = end === '' ? tableName : tableName.slice(0, -end.length);
    if (name !== '' && physicalName({ name, suffix }, config) === tableName) return { name, suffix, kind };
  }
  const would = physicalName({ name: tableName, suffix: 'outside-prod' }, config);
  const note = `The table is called ${tableName}; in the stack ${config.stack} it would be called ${would}: tablewright:nameSuffix says otherwise.`;
  return { name: tableName, suffix: 'outside-prod', kind, note };
}
