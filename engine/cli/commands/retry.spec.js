import { command } from '../spec/command.js';
import { budgets, noPitrOk, remote, yes } from '../spec/shared-options.js';
import { migrationWord } from '../spec/values.js';

export default command({
  words: 'retry',
  summary: 'go over the dead letters of a migration once more, and only those',
  examples: ['retry 6', 'retry 0006-index-order-book --stack dev --rate 200'],
  reach: 'store',
  memory: 'steady',
  args: { migration: { type: migrationWord } },
  options: { ...budgets, segments: { ...budgets.segments, only: ['here'] }, ...remote, yes, noPitrOk },
  modes: { here: 'a run on this machine', workers: 'a run by workers (--on)' },
  mode: ({ on }) => (on ? 'workers' : 'here'),
});
