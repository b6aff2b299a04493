import { commands } from '../commands/all.js';
import { offerFor } from './complete.js';

/** What a completion script asks with: `--complete 2 query oms`, the number of the word under the cursor, and the words. */
export const completeFlag = '--complete';

/** Says to the script: file names, which a shell knows best. */
const filesMark = ':files';

/**
 * Answers a completion script, a word a line. A shell must not be disturbed: what cannot be told is not told.
 * @param {readonly string[]} args
 * @param {import('../surroundings.ts').Surroundings} surroundings
 */
export async function answerShell([place = '', ...words], surroundings) {
  const at = Math.max(0, Number(place) - 1);
  const current = words[at] ?? '';
  const { words: known, names, given } = offerFor(words.slice(0, at), current, commands);
  const told = names === undefined ? [] : await namesOf(names, given, surroundings).catch(() => []);
  const offered = [...known, ...told].filter((word) => word === filesMark || word.startsWith(current));
  for (const word of new Set(offered)) surroundings.write(`${word}\n`);
}

/**
 * @param {import('../spec/command-spec.ts').NameKind} kind
 * @param {readonly string[]} given
 * @param {import('../surroundings.ts').Surroundings} surroundings
 * @returns {Promise<readonly string[]>}
 */
async function namesOf(kind, given, surroundings) {
  if (kind === 'files') return [filesMark];
  await surroundings.loadTypeScript();
  const { projectNames } = await import('./project-names.ts');
  return projectNames(kind, given, surroundings.cwd);
}
