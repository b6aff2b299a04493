import { command } from '../spec/command.js';
import { name } from '../spec/values.js';

export default command({
  words: 'patterns',
  summary: 'list the access patterns, all or those whose name begins so',
  reach: 'nothing',
  args: { prefix: { type: name, optional: true } },
});
