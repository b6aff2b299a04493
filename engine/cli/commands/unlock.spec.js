import { command } from '../spec/command.js';
import { yes } from '../spec/shared-options.js';
import { onOff } from '../spec/values.js';

export default command({
  words: 'unlock',
  summary: 'show who holds the lock of the migrations',
  examples: ['unlock', 'unlock --force --stack dev'],
  reach: 'store',
  options: {
    force: { type: onOff, help: 'take it away: its holder can write nothing more' },
    yes: { ...yes, needs: 'force' },
  },
});
