import { rename, rm } from 'node:fs/promises';

/** What a folder is called while it is taken away. */
const ending = '.removed';

/** Takes a folder away so that it is there whole or not at all, also when the process ends meanwhile. */
export async function removeWhole(folder: string): Promise<void> {
  await clearRemoved(folder);
  await rename(folder, folder + ending).catch((error: { readonly code?: string }) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await clearRemoved(folder);
}

/** What a process that ended meanwhile has left of it. */
export async function clearRemoved(folder: string): Promise<void> {
  await rm(folder + ending, { recursive: true, force: true });
}
