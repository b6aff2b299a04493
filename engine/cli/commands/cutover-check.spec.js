import { command } from '../spec/command.js';
import { allPatterns } from '../spec/shared-options.js';
import { patternWord } from '../spec/values.js';

export default command({
  words: 'cutover check',
  summary: 'prove that Query and Scan give the same answers, for every value in the table; exit 1 if not',
  examples: ['cutover check markets.orders.byOwner', 'cutover check --all --json'],
  reach: 'store',
  args: { patterns: { type: patternWord, optional: true, many: true } },
  options: { all: allPatterns },
});
