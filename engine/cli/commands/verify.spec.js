import { command } from '../spec/command.js';
import { budgets, remote } from '../spec/shared-options.js';
import { migrationWord } from '../spec/values.js';

export default command({
  words: 'verify',
  summary: 'prove that applied migrations left nothing over, all or one',
  examples: ['verify', 'verify 6 --json'],
  reach: 'store',
  memory: 'steady',
  args: { migration: { type: migrationWord, optional: true } },
  options: { ...budgets, segments: { ...budgets.segments, only: ['here'] }, ...remote },
  modes: { here: 'a run on this machine', workers: 'a run by workers (--on)' },
  mode: ({ on }) => (on ? 'workers' : 'here'),
});
