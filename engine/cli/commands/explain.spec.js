import { command } from '../spec/command.js';
import { reading } from '../spec/shared-options.js';
import { name, text } from '../spec/values.js';

export default command({
  words: 'explain',
  summary: 'the request that a pattern makes, its index, its expected read units, and why it is a Scan or none',
  reach: 'store',
  args: { pattern: { type: name }, parameters: { type: text, optional: true, many: true } },
  options: reading,
});
