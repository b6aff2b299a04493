import { command } from '../spec/command.js';

export default command({
  words: 'resume',
  examples: ['resume', 'resume --stack dev'],
  summary: 'let a paused migrate go on',
  reach: 'store',
});
