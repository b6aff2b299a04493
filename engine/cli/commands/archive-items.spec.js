import { command } from '../spec/command.js';
import { readRate, writeRate, yes } from '../spec/shared-options.js';
import { age, name, onOff, place, tableWord } from '../spec/values.js';

export default command({
  words: 'archive items',
  summary: 'write items of a certain age to S3, and delete them only after the archive was read back; resumable',
  examples: [
    'archive items oms_trading_data --older-than 400d --to archive/trading',
    'archive items oms_trading_data --older-than 2026-01-01T00:00:00Z --to archive/trading --delete',
  ],
  reach: 'store',
  args: { table: { type: tableWord } },
  options: {
    olderThan: { type: age, required: true, help: 'items whose time lies so far back, or before this time' },
    by: { type: name, shown: 'attribute', default: 'created_at', help: 'the attribute that tells an item’s time' },
    to: { type: place, help: 's3://bucket/prefix or a directory (default: statistics/items/ in the stack’s bucket)' },
    delete: { type: onOff, help: 'delete what was archived, each item on condition that it has not changed' },
    readRate,
    rate: { ...writeRate, needs: 'delete' },
    yes: { ...yes, needs: 'delete' },
  },
});
