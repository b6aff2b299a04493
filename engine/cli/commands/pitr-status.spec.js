import { command } from '../spec/command.js';
import { tableWord } from '../spec/values.js';

export default command({
  words: 'pitr status',
  summary: 'show what point-in-time recovery covers',
  examples: ['pitr status --stack dev', 'pitr status orders --stack dev --json'],
  reach: 'store',
  args: { table: { type: tableWord, optional: true } },
});
