import { rm, writeFile as write } from 'node:fs/promises';

/**
 * Writes a file. The error of a write that did not fit does not say to which; this one does. A new file (`wx`) that could not be
 * filled is taken away again.
 */
export async function writeFile(
  path: string,
  content: string | Uint8Array,
  options: { readonly flag?: 'wx'; readonly mode?: number } = {},
): Promise<void> {
  try {
    await write(path, content, options);
  } catch (error) {
    const failure = error as NodeJS.ErrnoException;
    if (options.flag === 'wx' && failure.code !== 'EEXIST') await rm(path, { force: true }).catch(() => undefined);
    throw Object.assign(failure, { path });
  }
}

/** Is it there already? For files that are only made when they are not. */
export function isThere(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST';
}
