import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { TablewrightError } from '../../../tables/model/error.ts';
import { type Source, sourceEndings } from '../../audit/codebase.ts';

/** Folders that hold other people's code or what was made from the sources. */
const skippedFolders: ReadonlySet<string> = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'cdk.out']);

/** The TypeScript and JavaScript files at the paths, each once, in order. Every path that does not exist is named. */
export async function readSources(root: string, paths: readonly string[]): Promise<readonly Source[]> {
  const files = new Set<string>();
  const missing: string[] = [];
  for (const path of paths) {
    const place = resolve(root, path);
    const found = await stat(place).catch(() => undefined);
    if (found === undefined) missing.push(`${path}: there is no such file or folder`);
    else if (found.isFile()) files.add(place);
    else for (const file of await sourcesIn(place)) files.add(file);
  }
  if (missing.length > 0) {
    throw new TablewrightError('BAD_ARGUMENT', 'not all paths can be read', {
      problems: missing,
      next: `Paths are relative to ${root}.`,
    });
  }
  const read = async (file: string): Promise<Source> => ({
    path: relative(root, file).split(sep).join('/'),
    text: await readFile(file, 'utf8'),
  });
  return Promise.all([...files].toSorted().map(read));
}

async function sourcesIn(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !skippedFolders.has(entry.name) && !entry.name.startsWith('.'))
      found.push(...(await sourcesIn(path)));
    const isSource = sourceEndings.includes(entry.name.split('.').at(-1) ?? '') && !/\.d\.[mc]?ts$/.test(entry.name);
    if (entry.isFile() && isSource) found.push(path);
  }
  return found;
}
