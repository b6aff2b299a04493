import { command } from '../spec/command.js';

export default command({
  words: 'attach',
  summary: 'show the stack’s execution on AWS as the command that began it does, to its end; Ctrl-C leaves it running',
  examples: ['attach --stack dev', 'attach --stack dev --json'],
  reach: 'store',
});
