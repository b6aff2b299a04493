import { command } from '../spec/command.js';
import { name } from '../spec/values.js';

export default command({
  words: 'pitr status',
  summary: 'show what point-in-time recovery covers',
  reach: 'store',
  args: { table: { type: name, optional: true } },
});
