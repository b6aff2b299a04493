import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TablewrightError } from '../../../tables/model/error.ts';
import { catalogueOf, type Project } from '../../../tables/model/project.ts';
import { prove } from '../../../tables/model/prove.ts';
import type { Table } from '../../../tables/model/table.ts';
import { importDefault } from './import-default.ts';

export const projectFile = 'tablewright.config.ts';

/** A project and the folder that it lies in: stack files, migrations and seeds are found from there. */
export interface LoadedProject {
  readonly root: string;
  readonly project: Project;
  readonly catalogue: readonly Table[];
}

/** The nearest project upwards from a folder, its catalogue proven: one that does not hold is not worked with. */
export async function loadProject(folder: string): Promise<LoadedProject> {
  const root = findRoot(folder);
  if (root === undefined) throw noProject(folder);
  const loaded = await importDefault(join(root, projectFile)).catch((error: unknown) => {
    throw notLoaded(error);
  });
  if (!isProject(loaded)) {
    throw new TablewrightError('BAD_CATALOGUE', `${projectFile}: expected a default export made by defineProject`, {
      next: `Write 'export default defineProject({ … })' in ${projectFile}; docs/package.md shows one.`,
    });
  }
  const catalogue = catalogueOf(loaded);
  const problems = prove(catalogue);
  if (problems.length === 0) return { root, project: loaded, catalogue };
  throw new TablewrightError('BAD_CATALOGUE', 'the catalogue does not hold', {
    problems,
    next: 'Correct the table file that each line names.',
  });
}

function findRoot(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, projectFile))) return at;
    if (at === dirname(at)) return undefined;
  }
}

function noProject(folder: string): TablewrightError {
  return new TablewrightError(
    'BAD_CATALOGUE',
    `there is no project here: ${folder} and the folders above it have no ${projectFile}`,
    {
      next: `Go to a folder of the project, or write a ${projectFile}; docs/package.md shows one.`,
    },
  );
}

/** People write it and all that it imports, so an error while it is loaded is theirs. */
function notLoaded(error: unknown): TablewrightError {
  const { message } = error instanceof Error ? error : new Error(String(error));
  const known = error instanceof TablewrightError ? error : undefined;
  const summary = (message.split('\n')[0] ?? '').trim();
  return new TablewrightError('BAD_CATALOGUE', `the tables cannot be loaded: ${summary}`, {
    cause: error,
    problems:
      known?.problems ??
      message
        .split('\n')
        .slice(1)
        .filter((line) => line.trim() !== ''),
    next: known?.next ?? `Correct the file that it names; ${projectFile} and what it imports are loaded. 'npx tsc' shows more.`,
  });
}

function isProject(value: unknown): value is Project {
  if (typeof value !== 'object' || value === null) return false;
  const { name, tables, migrations, seeds } = value as Partial<Project>;
  return typeof name === 'string' && typeof tables === 'object' && typeof migrations === 'string' && typeof seeds === 'string';
}
