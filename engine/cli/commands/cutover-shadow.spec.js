import { command } from '../spec/command.js';
import { allPatterns } from '../spec/shared-options.js';
import { patternWord, percent } from '../spec/values.js';

export default command({
  words: 'cutover shadow',
  summary: 'answer by Scan and try the Query beside it on a share of reads, recording differences and cost',
  examples: ['cutover shadow markets.orders.byOwner --share 5%', 'cutover shadow --all --stack dev'],
  reach: 'store',
  args: { patterns: { type: patternWord, optional: true, many: true } },
  options: { all: allPatterns, share: { type: percent, default: 10, help: 'of the reads' } },
});
