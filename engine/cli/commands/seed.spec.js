import { command } from '../spec/command.js';
import { threads } from '../spec/shared-options.js';
import { count, onOff, setWord, systemWord } from '../spec/values.js';

export default command({
  words: 'seed',
  summary: 'load seed sets, all that fit the stack or those named, or volume data; never into production',
  examples: ['seed', 'seed markets --volume 100 --random-seed 7'],
  reach: 'store',
  memory: 'steady',
  args: { sets: { type: setWord, optional: true, many: true } },
  options: {
    system: { type: systemWord, help: 'only the sets of this system' },
    volume: { type: count, help: 'write so many generated rows instead of the fixtures', only: ['volume'], required: true },
    randomSeed: {
      type: count,
      default: 1,
      help: 'the random seed of volume data; the same seed gives the same rows',
      only: ['volume'],
    },
    rate: { type: count, shown: 'wcu', help: 'write units per second that each table may use, index writes included' },
    concurrency: { type: count, help: 'batches in flight at once' },
    threads: { ...threads, only: ['volume'] },
    dryRun: {
      type: onOff,
      help: 'say what would be written and write nothing',
      excludes: ['rate', 'concurrency', 'threads', 'yes'],
    },
    prune: { type: onOff, help: 'delete rows of the sets that are no longer in their files' },
    yes: { type: onOff, help: 'do not ask before --prune deletes more than a handful of rows', needs: 'prune' },
    overwrite: { type: onOff, help: 'write rows too that were edited since, or were there before' },
  },
  modes: { fixtures: 'fixtures', volume: 'volume data (--volume)' },
  mode: ({ volume }) => (volume ? 'volume' : 'fixtures'),
});
