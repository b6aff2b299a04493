import { command } from '../spec/command.js';
import { readRate } from '../spec/shared-options.js';
import { name } from '../spec/values.js';

export default command({
  words: 'check index',
  summary: 'what an index holds and leaves out, and which records it would make unwritable; before it is deployed, too',
  reach: 'store',
  args: { table: { type: name }, index: { type: name } },
  options: { readRate },
});
