import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { TablewrightError } from '../../tables/model/error.ts';
import type { BlobStore } from '../core/transfer/blob-store.ts';
import { fileProblem } from './file-problem.ts';
import { makeFolder } from './make-folder.ts';

/** Unfinished files carry this ending; they are never listed. */
const temporary = '.partial';
/** As they are named here: somebody else's may lie beside them. */
const ownTemporary = /\.[0-9a-f]{8}\.partial$/;

/** Files of a directory. `shown` is how the user named it. */
export function directoryBlobStore(directory: string, shown: string = directory): BlobStore {
  const path = (name: string): string => join(directory, ...name.split('/'));
  return {
    place: shown,
    write: (name, bytes, signal) => guarded(shown, () => writeWhole(path(name), bytes, signal)),
    read: async (name) => {
      const file = path(name);
      const found = await guarded(shown, () => stat(file).catch(absent));
      return found?.isFile() ? createReadStream(file) : undefined;
    },
    list: (prefix) => guarded(shown, () => listFiles(directory, prefix)),
    remove: async (names) => {
      await guarded(shown, async () => {
        for (const name of names) await rm(path(name), { force: true });
        const folders = new Set(names.map((name) => dirname(path(name))));
        for (const folder of folders) await removeIfEmpty(folder);
      });
    },
    clearUnfinished: (prefix, untouchedMs) => guarded(shown, () => clearUnfinished(directory, prefix, untouchedMs)),
  };
}

/** Under a temporary name, synced, then renamed: a crash leaves the old file or the new one. */
async function writeWhole(file: string, bytes: Uint8Array, signal: AbortSignal | undefined): Promise<{ readonly etag: string }> {
  signal?.throwIfAborted();
  await makeFolder(dirname(file));
  const unfinished = `${file}.${randomBytes(4).toString('hex')}${temporary}`;
  try {
    const handle = await open(unfinished, 'w', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (error) {
    // A full disk is not helped by half a file.
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
  return { etag: createHash('md5').update(bytes).digest('hex') };
}

async function listFiles(directory: string, prefix: string) {
  const names = (await namesIn(directory, prefix)).filter((name) => !name.endsWith(temporary));
  return Promise.all(names.map(async (name) => ({ name, bytes: (await stat(join(directory, name))).size })));
}

async function namesIn(directory: string, prefix: string): Promise<readonly string[]> {
  const folder = prefix.includes('/') ? prefix.slice(0, prefix.lastIndexOf('/')) : '';
  const root = join(directory, ...folder.split('/'));
  const entries = (await readdir(root, { recursive: true, withFileTypes: true }).catch(absent)) ?? [];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((name) => name.startsWith(prefix))
    .toSorted();
}

/** Of a run that was killed between writing a file and giving it its name. */
async function clearUnfinished(directory: string, prefix: string, untouchedMs: number): Promise<void> {
  for (const name of await namesIn(directory, prefix)) {
    if (!ownTemporary.test(name)) continue;
    const file = join(directory, name);
    const found = await stat(file).catch(absent);
    if (found !== undefined && Date.now() - found.mtimeMs >= untouchedMs) await rm(file, { force: true });
  }
}

function absent(error: unknown): undefined {
  const { code } = error as { readonly code?: string };
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw error;
}

async function removeIfEmpty(folder: string): Promise<void> {
  const left = (await readdir(folder).catch(absent)) ?? ['gone'];
  if (left.every((name) => ownTemporary.test(name))) await rm(folder, { recursive: true, force: true });
}

async function guarded<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const problem = fileProblem(error);
    if (problem === undefined) throw error;
    throw new TablewrightError('FILE_FAILED', `${place}: ${problem.why}`, { cause: error, next: problem.next });
  }
}
