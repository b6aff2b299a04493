import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TablewrightError } from '../../tables/model/error.ts';
import { type EngineName, engineNames } from './choose-engine.ts';
import { fileProblem } from './file-problem.ts';
import { makeFolder } from './make-folder.ts';
import { isThere, writeFile } from './write-file.ts';

/** Says in the data's directory which engine wrote it: neither can read the other's. */
const ownerFile = (directory: string) => join(directory, 'engine');

/** The embedded engine's database, which was the only one before there was a choice. */
export const dynoxideDatabase = (directory: string) => join(directory, 'dynamodb.sqlite');

export async function readOwner(directory: string): Promise<EngineName | undefined> {
  const text = await readFile(ownerFile(directory), 'utf8').catch(() => '');
  const named = engineNames.find((name) => name === text.trim());
  return named ?? (existsSync(dynoxideDatabase(directory)) ? 'dynoxide' : undefined);
}

/** Before the engine's first write. Of two processes that begin at once one is first, and the other is told its name. */
export async function claimData(directory: string, engine: EngineName): Promise<EngineName> {
  try {
    await makeFolder(directory);
    await writeFile(ownerFile(directory), `${engine}\n`, { flag: 'wx' });
  } catch (error) {
    if (!isThere(error) || !existsSync(ownerFile(directory))) throw withoutPlace(error);
  }
  return (await readOwner(directory)) ?? engine;
}

/** Where its data lies nobody can choose, so no other place can be named. */
function withoutPlace(error: unknown): unknown {
  const problem = fileProblem(error);
  if (problem === undefined || !/EROFS|EACCES|EPERM/.test(problem.why)) return error;
  return new TablewrightError('FILE_FAILED', `${problem.path}: ${problem.why}`, {
    cause: error,
    next: 'The local engine keeps its data there: work in a copy of the project that can be written to, or name a server with --endpoint URL.',
  });
}
