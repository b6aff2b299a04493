import { join } from 'node:path';
import { patternsOf } from '../../../tables/model/project.ts';
import { readFolder } from '../../local/read-folder.ts';
import { localStack } from '../local-stack.ts';
import { type LoadedProject, loadProject } from '../project/load-project.ts';
import { stackFiles } from '../read-stack.ts';
import { findSets } from '../seed/find-sets.ts';
import type { NameKind } from '../spec/command-spec.ts';

type Names = (project: LoadedProject, given: readonly string[]) => readonly string[] | Promise<readonly string[]>;

const tableOf = ({ catalogue }: LoadedProject, [name]: readonly string[]) => catalogue.find((table) => table.name === name);

const kinds: Readonly<Record<Exclude<NameKind, 'files'>, Names>> = {
  tables: ({ catalogue }) => catalogue.map(({ name }) => name),
  systems: ({ catalogue }) => [...new Set(catalogue.map(({ system }) => system))],
  indexes: (project, given) => tableOf(project, given)?.indexes.map(({ name }) => name) ?? [],
  entities: (project, given) => tableOf(project, given)?.entities.map(({ name }) => name) ?? [],
  patterns: ({ catalogue }) => patternsOf(catalogue).map(({ name }) => name),
  parameters: ({ catalogue }, [pattern]) => {
    const found = patternsOf(catalogue).find(({ name }) => name === pattern);
    return Object.keys(found?.params ?? {}).map((name) => `${name}=`);
  },
  migrations: async ({ root, project }) => {
    const files = await readFolder(join(root, project.migrations));
    return files.filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -'.ts'.length));
  },
  'seed sets': async (project) => (await findSets(project)).map(({ name }) => name),
  stacks: async ({ root }) => [localStack, ...(await stackFiles(root))],
};

/** The names of a kind that the project in this folder has; `given` are the words before. */
export async function projectNames(
  kind: Exclude<NameKind, 'files'>,
  given: readonly string[],
  cwd: string,
): Promise<readonly string[]> {
  return kinds[kind](await loadProject(cwd), given);
}
