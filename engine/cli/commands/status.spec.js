import { command } from '../spec/command.js';

export default command({
  words: 'status',
  summary: 'every migration with its state, what it changed and cost, and who holds the lock; exit 1 if something is open',
  examples: ['status', 'status --stack dev --json'],
  reach: 'store',
});
