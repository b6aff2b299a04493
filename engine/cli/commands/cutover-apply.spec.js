import { command } from '../spec/command.js';
import { allPatterns, yes } from '../spec/shared-options.js';
import { name } from '../spec/values.js';

export default command({
  words: 'cutover apply',
  summary: 'read by Query from now on; only if the index is ACTIVE, its backfill verified and parity holds',
  reach: 'store',
  args: { patterns: { type: name, optional: true, many: true } },
  options: { all: allPatterns, yes },
});
