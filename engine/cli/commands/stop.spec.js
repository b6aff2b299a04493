import { command } from '../spec/command.js';

export default command({
  words: 'stop',
  summary: 'end whoever runs migrations at its next checkpoint, as Ctrl-C in its own terminal; an execution by workers, too',
  examples: ['stop', 'stop --stack dev'],
  reach: 'store',
});
