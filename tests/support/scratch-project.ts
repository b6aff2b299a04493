import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from './run-cli.ts';

export interface ScratchProject {
  readonly root: string;
  remove(): Promise<void>;
}

/** An empty folder in which `tablewright` is this repository, unbuilt. */
export async function scratchProject(files: Readonly<Record<string, string>> = {}): Promise<ScratchProject> {
  const root = await mkdtemp(join(tmpdir(), 'tablewright-scratch-'));
  const own = join(root, '.tablewright-package');
  await mkdir(own);
  await mkdir(join(root, 'node_modules'));
  await writeFile(join(own, 'package.json'), JSON.stringify({ name: 'tablewright', type: 'module', exports: './index.ts' }));
  await writeFile(join(own, 'index.ts'), `export * from ${JSON.stringify(join(repository, 'engine/index.ts'))};\n`);
  await symlink(own, join(root, 'node_modules/tablewright'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(root, name, '..'), { recursive: true });
    await writeFile(join(root, name), text);
  }
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}
