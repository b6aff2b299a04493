import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { JobMemory } from '../core/transfer/native-store.ts';
import { makeFolder } from './make-folder.ts';
import { writeFile } from './write-file.ts';

/** A small JSON file beside the local data. Losing it loses nothing: running exports are also asked for. */
export function jobMemory(path: string): JobMemory {
  const read = async (): Promise<Record<string, string>> => {
    const text = await readFile(path, 'utf8').catch(() => '{}');
    try {
      return JSON.parse(text) as Record<string, string>;
    } catch {
      return {};
    }
  };
  const write = async (jobs: Record<string, string>): Promise<void> => {
    await makeFolder(dirname(path));
    await writeFile(path, `${JSON.stringify(jobs, undefined, 2)}\n`);
  };
  return {
    get: async (job) => (await read())[job],
    set: async (job, arn) => write({ ...(await read()), [job]: arn }),
    forget: async (job) => {
      const { [job]: _, ...rest } = await read();
      await write(rest);
    },
  };
}
