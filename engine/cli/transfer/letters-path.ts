import { join, resolve } from 'node:path';
import type { Context } from '../context.ts';
import { localDirectory } from '../open-stack.ts';

/** Where the dead letters of an import go: as was said, else into a file of this run's own. */
export function lettersPath(context: Context, tableName: string, given: string | undefined): string {
  if (given !== undefined) return resolve(context.cwd, given);
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
  return join(localDirectory(context.root), 'dead-letters', `import-${tableName}-${time}.jsonl`);
}
