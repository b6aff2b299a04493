import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { SeedDeclaration } from '../../core/seed/define-seed.ts';
import { readFolder } from '../../local/read-folder.ts';
import type { Context } from '../context.ts';
import { importDefault } from '../project/import-default.ts';

export interface SeedSet extends SeedDeclaration {
  readonly name: string;
  readonly folder: string;
}

const declarationFile = 'seed.ts';

/** Every set of the project: the folders of its seeds that hold a `seed.ts`, by name. */
export async function findSets({ root, project }: Pick<Context, 'root' | 'project'>): Promise<readonly SeedSet[]> {
  const folder = join(root, project.seeds);
  const names = (await readFolder(folder)).filter((name) => existsSync(join(folder, name, declarationFile))).toSorted();
  return Promise.all(names.map((name) => loadSet(root, join(folder, name), name)));
}

async function loadSet(root: string, folder: string, name: string): Promise<SeedSet> {
  const path = join(folder, declarationFile);
  const file = relative(root, path);
  const loaded = await importDefault(path).catch((error: unknown) => {
    throw new TablewrightError('BAD_SEED', `${file} cannot be loaded: ${(error as Error).message}`, {
      cause: error,
      next: `Correct ${file}; 'npx tsc' shows what is wrong in it.`,
    });
  });
  const declaration = loaded as SeedDeclaration | undefined;
  if (declaration?.stacks === undefined || declaration.fixtures === undefined) {
    throw new TablewrightError('BAD_SEED', `${file}: expected a default export made by defineSeed`, {
      next: `Write 'export default defineSeed({ … })' in ${file}; docs/seeds.md shows one.`,
    });
  }
  return { ...declaration, name, folder };
}
