import { command } from '../spec/command.js';
import { accept, budgets, phase, sample, upTo, warm } from '../spec/shared-options.js';

export default command({
  words: 'plan',
  summary: 'what the pending migrations would change and cost; writes nothing',
  reach: 'store',
  options: { to: upTo, phase, sample, accept, warm, ...budgets },
});
