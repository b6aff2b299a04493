import { TablewrightError } from '../error.ts';

/*
 * What a project's repository says about its past. The Pulumi program reads these files, the command line writes them, and both know
 * them from here. They lie in the project's folder `shapes`.
 */

/** The catalogue as it was last deployed everywhere. */
export const releasedName = 'released-shape.json';

/** Changes of it that lose data and are wanted. */
export const allowListName = 'allowed-changes.json';

/** What the tables of each stack were called then. */
export const namesName = 'released-names.json';

/** The command that writes them after a deployment; messages name it. */
export const releaseCommand = 'npx tablewright shape release';

/** The content of such a file; undefined where there is none. People solve merge conflicts in them, so what is no JSON is told. */
export function readReleased(path: string, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TablewrightError('BAD_CONFIG', `${path}: expected JSON, found ${(error as Error).message}`, {
      cause: error,
      next: `Correct ${path}, or take it from the last commit with 'git checkout ${path}'.`,
    });
  }
}
