import { command } from '../spec/command.js';
import { noPitrOk, readRate, remote, writeRate, yes } from '../spec/shared-options.js';
import { migrationWord, onOff } from '../spec/values.js';

export default command({
  words: 'rollback',
  summary: 'undo the last migration wherever the values are still the ones it set',
  examples: ['rollback', 'rollback --to 10 --stack dev --yes'],
  reach: 'store',
  memory: 'steady',
  options: {
    to: { type: migrationWord, shown: 'migration', help: 'undo everything after this one; 0 undoes all' },
    rate: writeRate,
    readRate,
    acceptGaps: { type: onOff, help: 'restore the rest where a part of the journal is missing' },
    ...remote,
    yes,
    noPitrOk,
  },
  modes: { here: 'a run on this machine', workers: 'a run by workers (--on)' },
  mode: ({ on }) => (on ? 'workers' : 'here'),
});
