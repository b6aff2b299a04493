import { command } from '../spec/command.js';
import { readRate } from '../spec/shared-options.js';
import { name, onOff, place } from '../spec/values.js';

export default command({
  words: 'archive',
  summary: 'write the statistics of backtest scans to S3 before TTL takes the results; once per scan',
  examples: ['archive', 'archive --scan scan-20251114-103000 --to archive/scans --again'],
  reach: 'store',
  options: {
    to: { type: place, help: 's3://bucket/prefix or a directory (default: statistics/ in the stack’s bucket)' },
    scan: { type: name, shown: 'id', many: true, help: 'only these scans' },
    again: { type: onOff, help: 'write the statistics of archived scans anew' },
    rate: readRate,
  },
});
