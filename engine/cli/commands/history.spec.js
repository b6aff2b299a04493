import { command } from '../spec/command.js';
import { migrationWord } from '../spec/values.js';

export default command({
  words: 'history',
  summary: 'what happened to a migration, when, by whom; its dead letters',
  examples: ['history 0006-index-order-book', 'history 6 --json'],
  reach: 'store',
  args: { migration: { type: migrationWord } },
});
