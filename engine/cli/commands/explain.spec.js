import { command } from '../spec/command.js';
import { readingOptions } from '../spec/shared-options.js';
import { anyText, name } from '../spec/values.js';

export default command({
  words: 'explain',
  summary: 'the request that a pattern makes, its index, its expected read units, and why it is a Scan or none',
  reach: 'store',
  args: { pattern: { type: name }, parameters: { type: anyText, optional: true, many: true } },
  options: readingOptions,
});
