import { command } from '../spec/command.js';
import { budgets, noPitrOk, yes } from '../spec/shared-options.js';
import { name } from '../spec/values.js';

export default command({
  words: 'retry',
  summary: 'go over the dead letters of a migration once more, and only those',
  reach: 'store',
  memory: 'steady',
  args: { migration: { type: name } },
  options: { ...budgets, yes, noPitrOk },
});
