import { command } from '../spec/command.js';
import { yes } from '../spec/shared-options.js';

export default command({
  words: 'repair',
  summary: 'correct the ledger: damaged records, a dead runner, a changed or a removed file',
  examples: ['repair', 'repair --stack dev --yes'],
  reach: 'store',
  options: { yes },
});
