import { command } from '../spec/command.js';
import { name } from '../spec/values.js';

export default command({
  words: 'tables',
  summary: 'list the tables, or show one with its indexes and entities',
  reach: 'stack',
  args: { table: { type: name, optional: true } },
});
