import { command } from '../spec/command.js';
import { allPatterns } from '../spec/shared-options.js';
import { patternWord } from '../spec/values.js';

export default command({
  words: 'cutover revert',
  summary: 'read by Scan again, at once',
  examples: ['cutover revert markets.orders.byOwner', 'cutover revert --all --stack dev'],
  reach: 'store',
  args: { patterns: { type: patternWord, optional: true, many: true } },
  options: { all: allPatterns },
});
