import { command } from '../spec/command.js';

export default command({
  words: 'pause',
  summary: 'make a running migrate hold still, from another terminal',
  examples: ['pause', 'pause --stack dev'],
  reach: 'store',
});
