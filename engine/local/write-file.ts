import { randomBytes } from 'node:crypto';
import { realpath, rename, rm, stat, writeFile as write } from 'node:fs/promises';

/**
 * Writes a file, all of it or nothing: under another name beside it, which it then gets. On a full disk the file that was there stays
 * as it was, and a new one (`wx`: only where none is) is not there. The error of a write that did not fit does not say to which file;
 * this one does.
 */
export async function writeFile(
  path: string,
  content: string | Uint8Array,
  options: { readonly flag?: 'wx'; readonly mode?: number } = {},
): Promise<void> {
  try {
    if (options.flag === 'wx') await writeNew(path, content, options);
    else await replace(path, content, options);
  } catch (error) {
    throw Object.assign(error as NodeJS.ErrnoException, { path, dest: undefined });
  }
}

async function writeNew(path: string, content: string | Uint8Array, options: { readonly flag?: 'wx' }): Promise<void> {
  await write(path, content, options).catch(async (error: NodeJS.ErrnoException) => {
    if (!isThere(error)) await rm(path, { force: true }).catch(() => undefined);
    throw error;
  });
}

async function replace(path: string, content: string | Uint8Array, options: { readonly mode?: number }): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  // A device or a pipe takes what is written, and a folder says that it is one.
  if (there !== undefined && !there.isFile()) return write(path, content, options);
  // A link stays one.
  const file = there === undefined ? path : await realpath(path);
  const unfinished = `${file}.${randomBytes(4).toString('hex')}.partial`;
  try {
    await write(unfinished, content, { mode: there?.mode, ...options });
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Is it there already? For files that are only made when they are not. */
export function isThere(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST';
}
