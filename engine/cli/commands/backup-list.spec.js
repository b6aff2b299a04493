import { command } from '../spec/command.js';
import { tableWord } from '../spec/values.js';

export default command({
  words: 'backup list',
  summary: 'list the backups of the stack’s tables',
  examples: ['backup list --stack dev', 'backup list orders --stack dev --json'],
  reach: 'store',
  args: { table: { type: tableWord, optional: true } },
});
