import { command } from '../spec/command.js';
import { budgets } from '../spec/shared-options.js';
import { name } from '../spec/values.js';

export default command({
  words: 'verify',
  summary: 'prove that applied migrations left nothing over, all or one',
  reach: 'store',
  memory: 'steady',
  args: { migration: { type: name, optional: true } },
  options: budgets,
});
