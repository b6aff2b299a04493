import { command } from '../spec/command.js';
import { yes } from '../spec/shared-options.js';
import { flag } from '../spec/values.js';

export default command({
  words: 'unlock',
  summary: 'show who holds the lock of the migrations',
  reach: 'store',
  options: {
    force: { type: flag, help: 'take it away: its holder can write nothing more' },
    yes: { ...yes, needs: 'force' },
  },
});
