import { readFile } from 'node:fs/promises';

/** The text of a file. The error of reading a folder does not say which one; this one does. */
export async function readTextFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw Object.assign(error as NodeJS.ErrnoException, { path });
  }
}
