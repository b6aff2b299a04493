import { command } from '../spec/command.js';
import { allPatterns, yes } from '../spec/shared-options.js';
import { patternWord } from '../spec/values.js';

export default command({
  words: 'cutover apply',
  summary: 'read by Query from now on; only if the index is ACTIVE, its backfill verified and parity holds',
  examples: ['cutover apply markets.orders.byOwner', 'cutover apply --all --stack dev --yes'],
  reach: 'store',
  args: { patterns: { type: patternWord, optional: true, many: true } },
  options: { all: allPatterns, yes },
});
