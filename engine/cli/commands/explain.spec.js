import { command } from '../spec/command.js';
import { name, text } from '../spec/values.js';

export default command({
  words: 'explain',
  summary: 'the request that a pattern makes, its index, its expected read units, and why it is not a Scan',
  reach: 'store',
  args: { pattern: { type: name }, parameters: { type: text, optional: true, many: true } },
});
