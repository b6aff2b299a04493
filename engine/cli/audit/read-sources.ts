import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { TablewrightError } from '../../../tables/model/error.ts';
import { type Source, sourceEndings } from '../../audit/codebase.ts';
import { fileProblem } from '../../local/file-problem.ts';

/** Folders that hold other people's code or what was made from the sources. */
const skippedFolders: ReadonlySet<string> = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'cdk.out']);

/** The TypeScript and JavaScript files at the paths, each once, in order. Every path that has none is named. */
export async function readSources(root: string, paths: readonly string[]): Promise<readonly Source[]> {
  const files = new Set<string>();
  const problems: string[] = [];
  for (const path of paths) {
    const found = await sourcesAt(resolve(root, path));
    if (typeof found === 'string') problems.push(`${path}: ${found}`);
    else for (const file of found) files.add(file);
  }
  if (problems.length > 0) {
    throw new TablewrightError('BAD_ARGUMENT', 'not all paths can be audited', {
      problems,
      next: `Name files or folders with TypeScript or JavaScript; paths are relative to ${root}.`,
    });
  }
  const read = async (file: string): Promise<Source> => ({
    path: relative(root, file).split(sep).join('/'),
    text: await readFile(file, 'utf8'),
  });
  return Promise.all([...files].toSorted().map(read));
}

/** The source files at a place, or why there are none. */
async function sourcesAt(place: string): Promise<readonly string[] | string> {
  try {
    const found = await stat(place);
    if (found.isFile()) return isSource(place) ? [place] : `expected a file that ends in ${sourceEndings.join(', ')}`;
    if (!found.isDirectory()) return 'expected a file or a folder';
    const files = await sourcesIn(place);
    return files.length === 0 ? 'the folder has no TypeScript or JavaScript in it' : files;
  } catch (error) {
    const { code } = error as { readonly code?: string };
    if (code === 'ENOENT') return 'there is no such file or folder';
    const problem = fileProblem(error);
    if (problem === undefined) throw error;
    return problem.why;
  }
}

function isSource(name: string): boolean {
  return sourceEndings.includes(name.split('.').at(-1) ?? '');
}

async function sourcesIn(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !skippedFolders.has(entry.name) && !entry.name.startsWith('.'))
      found.push(...(await sourcesIn(path)));
    if (entry.isFile() && isSource(entry.name) && !/\.d\.[mc]?ts$/.test(entry.name)) found.push(path);
  }
  return found;
}
