import { command } from '../spec/command.js';
import { allPatterns } from '../spec/shared-options.js';
import { name } from '../spec/values.js';

export default command({
  words: 'cutover check',
  summary: 'prove that Query and Scan give the same answers, for every value in the table; exit 1 if not',
  reach: 'store',
  args: { patterns: { type: name, optional: true, many: true } },
  options: { all: allPatterns },
});
