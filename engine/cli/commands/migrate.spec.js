import { command } from '../spec/command.js';
import { accept, budgets, noPitrOk, phase, remote, sample, upTo, warm, yes } from '../spec/shared-options.js';
import { onOff } from '../spec/values.js';

export default command({
  words: 'migrate',
  summary: 'run the pending migrations in order, verify each, go on where an earlier run stopped',
  examples: ['migrate', 'migrate --to 6 --stack dev --rate 500 --pause-on-alarm'],
  reach: 'store',
  memory: 'steady',
  options: {
    to: upTo,
    phase,
    dryRun: { type: onOff, help: 'the same as plan' },
    sample: { ...sample, only: ['dry'] },
    accept,
    warm,
    ...budgets,
    segments: { ...budgets.segments, only: ['live', 'dry'] },
    ...remote,
    pauseOnAlarm: { type: onOff, help: 'hold still while an alarm of the stack rings', only: ['live', 'workers'] },
    yes: { ...yes, only: ['live', 'workers'] },
    noPitrOk: { ...noPitrOk, only: ['live', 'workers'] },
  },
  modes: { live: 'a run that writes', dry: 'a dry run (--dry-run)', workers: 'a run by workers (--on)' },
  mode: ({ dryRun, on }) => {
    if (dryRun) return 'dry';
    return on ? 'workers' : 'live';
  },
});
