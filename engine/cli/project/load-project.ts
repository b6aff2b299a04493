import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TablewrightError } from '../../../tables/model/error.ts';
import { catalogueOf, defineProject, type Project } from '../../../tables/model/project.ts';
import { checkCatalogue } from '../../../tables/model/prove.ts';
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
    throw notLoaded(error, root);
  });
  if (!isProject(loaded)) {
    throw new TablewrightError('BAD_CATALOGUE', `${projectFile}: expected a default export made by defineProject`, {
      next: `Write 'export default defineProject({ … })' in ${projectFile}; docs/package.md shows one.`,
    });
  }
  const catalogue = catalogueOf(loaded);
  checkCatalogue(catalogue);
  return { root, project: loaded, catalogue };
}

/** What a command is given that makes a project. */
export function noProjectYet(folder: string): LoadedProject {
  return { root: folder, project: defineProject({ name: 'none', tables: {} }), catalogue: [] };
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
      next: `Go to a folder of the project, or begin one here with 'npx tablewright init'.`,
    },
  );
}

/** People write it and all that it imports, so an error while it is loaded is theirs. */
function notLoaded(error: unknown, root: string): TablewrightError {
  const { message } = error instanceof Error ? error : new Error(String(error));
  const known = ofOurs(error);
  const summary = [placeOf(error, root), (message.split('\n')[0] ?? '').trim()].filter((part) => part !== undefined).join(': ');
  return new TablewrightError('BAD_CATALOGUE', `the tables cannot be loaded: ${summary}`, {
    cause: error,
    problems:
      known?.problems ??
      message
        .split('\n')
        .slice(1)
        .map((line) => line.replace(/^[\s-]+/, ''))
        .filter((line) => line !== '' && line !== 'Require stack:'),
    next: known?.next ?? `Correct the file that it names; ${projectFile} and what it imports are loaded. 'npx tsc' shows more.`,
  });
}

/** In a package without `"type": "module"` the project has a copy of this package of its own, and its errors are of that copy's class. */
function ofOurs(error: unknown): Pick<TablewrightError, 'problems' | 'next'> | undefined {
  if (error instanceof TablewrightError) return error;
  const { problems, next } = (typeof error === 'object' && error !== null ? error : {}) as Partial<TablewrightError>;
  return Array.isArray(problems) ? { problems, next } : undefined;
}

/** The toolkit's own code, which in its own repository lies inside of the project. */
const ownFolders = ['../../', '../../../tables/model/'].map((path) => fileURLToPath(new URL(path, import.meta.url)));

/** The line of the project's own that an error comes from, `tables/orders.ts:12`; undefined where its trace has none. */
function placeOf(error: unknown, root: string): string | undefined {
  const frames = (error instanceof Error ? (error.stack ?? '') : '').matchAll(/((?:file:\/\/)?\/[^\n()]+?):(\d+):\d+\)?$/gm);
  for (const [, file = '', line] of frames) {
    const path = file.startsWith('file:') ? fileURLToPath(file) : file;
    const isTheirs = path.startsWith(join(root, '/')) && !path.includes('/node_modules/');
    if (isTheirs && !ownFolders.some((folder) => path.startsWith(folder))) return `${relative(root, path)}:${line}`;
  }
  return undefined;
}

function isProject(value: unknown): value is Project {
  if (typeof value !== 'object' || value === null) return false;
  const { name, tables, migrations, seeds } = value as Partial<Project>;
  return typeof name === 'string' && typeof tables === 'object' && typeof migrations === 'string' && typeof seeds === 'string';
}
