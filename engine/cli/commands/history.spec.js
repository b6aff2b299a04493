import { command } from '../spec/command.js';
import { name } from '../spec/values.js';

export default command({
  words: 'history',
  summary: 'what happened to a migration, when, by whom; its dead letters',
  reach: 'store',
  args: { migration: { type: name } },
});
