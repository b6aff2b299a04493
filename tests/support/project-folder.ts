import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from './run-cli.ts';

/** What a project consists of, its stack files and packages apart. */
export const projectParts = [
  'engine',
  'tables',
  'seeds',
  'migrations',
  'infra',
  'package.json',
  'tablewright.config.ts',
  'tsconfig.json',
  'Pulumi.yaml',
] as const;

export interface ProjectFolder {
  readonly root: string;
  remove(): Promise<void>;
}

/** Makes a folder one of this project: its tables are those of the repository, files beside it the folder's own. */
export async function linkProject(folder: string): Promise<void> {
  await symlink(join(repository, 'tablewright.config.ts'), join(folder, 'tablewright.config.ts'));
  // A table may import what is published, as those of other projects do: here it is our sources, also from another folder.
  const paths = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, [join(repository, file)]]));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { paths } }));
}

const entries = {
  tablewright: 'engine/index.ts',
  'tablewright/pulumi': 'infra/pulumi.ts',
  'tablewright/testing': 'engine/testing.ts',
};

/** This project under another folder, with stack files of the test's own. Its sources are links: nothing is copied. */
export async function projectFolder(stacks: Readonly<Record<string, string>>): Promise<ProjectFolder> {
  const root = await mkdtemp(join(tmpdir(), 'tablewright-project-'));
  for (const name of [...projectParts, 'node_modules']) await symlink(join(repository, name), join(root, name));
  for (const [name, text] of Object.entries(stacks)) await writeFile(join(root, `Pulumi.${name}.yaml`), text);
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}
