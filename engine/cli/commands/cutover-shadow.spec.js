import { command } from '../spec/command.js';
import { allPatterns } from '../spec/shared-options.js';
import { name, percent } from '../spec/values.js';

export default command({
  words: 'cutover shadow',
  summary: 'answer by Scan and try the Query beside it on a share of reads, recording differences and cost',
  reach: 'store',
  args: { patterns: { type: name, optional: true, many: true } },
  options: { all: allPatterns, share: { type: percent, default: 10, help: 'of the reads' } },
});
