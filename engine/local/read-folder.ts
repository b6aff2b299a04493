import { readdir } from 'node:fs/promises';

/** The names in a folder; none when it is not there. Whatever else is in the way, a file in its place for one, is an error. */
export async function readFolder(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
