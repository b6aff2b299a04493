import { command } from '../spec/command.js';
import { accept, budgets, phase, sample, upTo, warm } from '../spec/shared-options.js';

export default command({
  words: 'plan',
  summary: 'what the pending migrations would change and cost; writes nothing',
  examples: ['plan', 'plan --to 6 --sample 1000 --json'],
  reach: 'store',
  options: { to: upTo, phase, sample, accept, warm, ...budgets },
});
