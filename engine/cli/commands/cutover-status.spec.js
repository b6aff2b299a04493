import { command } from '../spec/command.js';

export default command({
  words: 'cutover status',
  summary: 'how each pattern that was once a Scan is read now: scan, shadow or query',
  examples: ['cutover status', 'cutover status --stack dev --json'],
  reach: 'store',
});
