import { command } from '../spec/command.js';
import { allPatterns } from '../spec/shared-options.js';
import { name } from '../spec/values.js';

export default command({
  words: 'cutover revert',
  summary: 'read by Scan again, at once',
  reach: 'store',
  args: { patterns: { type: name, optional: true, many: true } },
  options: { all: allPatterns },
});
