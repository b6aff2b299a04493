import { command } from '../spec/command.js';
import { tableWord } from '../spec/values.js';

export default command({
  words: 'tables',
  summary: 'list the tables, or show one with its indexes and entities',
  examples: ['tables', 'tables orders --json'],
  reach: 'stack',
  args: { table: { type: tableWord, optional: true } },
});
