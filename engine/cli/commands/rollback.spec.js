import { command } from '../spec/command.js';
import { budgets, noPitrOk, yes } from '../spec/shared-options.js';
import { name } from '../spec/values.js';

export default command({
  words: 'rollback',
  summary: 'undo the last migration wherever the values are still the ones it set',
  reach: 'store',
  options: {
    to: { type: name, shown: 'migration', help: 'undo everything after this one; 0 undoes all' },
    ...budgets,
    yes,
    noPitrOk,
  },
});
