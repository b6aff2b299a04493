import { command } from '../spec/command.js';
import { name } from '../spec/values.js';

export default command({
  words: 'backup list',
  summary: 'list the backups of the stack’s tables',
  reach: 'store',
  args: { table: { type: name, optional: true } },
});
