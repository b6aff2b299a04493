import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectParts } from './project-folder.ts';
import { repository } from './run-cli.ts';

const copied = [...projectParts, 'Pulumi.dev.yaml', 'Pulumi.prod.yaml'];

export interface Copy {
  readonly root: string;
  /** The command of this copy. */
  readonly bin: string;
  remove(): Promise<void>;
}

/** The repository as a fresh clone has it, in a folder of its own, with the packages of this one. */
export async function copyRepository(): Promise<Copy> {
  const root = await mkdtemp(join(tmpdir(), 'tablewright-copy-'));
  for (const name of copied) await cp(join(repository, name), join(root, name), { recursive: true });
  await symlink(join(repository, 'node_modules'), join(root, 'node_modules'));
  return { root, bin: join(root, 'engine/cli/bin.js'), remove: () => rm(root, { recursive: true, force: true }) };
}
