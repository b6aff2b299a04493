import { command } from '../spec/command.js';
import { pollMs } from '../spec/shared-options.js';
import { arn, tableName, tableWord, timeOrLatest } from '../spec/values.js';

export default command({
  words: 'restore',
  summary: 'restore a table into a new one, put back what a restore loses, and compare it with the catalogue',
  examples: [
    'restore orders --to-time latest --as orders-restored --stack dev',
    'restore orders --from-backup arn:aws:dynamodb:us-east-1:123456789012:table/orders-dev/backup/01763112000000-1a2b3c4d --as orders-of-friday --stack dev',
  ],
  reach: 'store',
  args: { table: { type: tableWord } },
  options: {
    fromBackup: { type: arn, help: 'from this backup', only: ['backup'], required: true },
    toTime: {
      type: timeOrLatest,
      help: 'as of this moment (or latest), from point-in-time recovery',
      only: ['time'],
      required: true,
    },
    as: { type: tableName, required: true, help: 'the new table’s name' },
    pollMs,
  },
  modes: {
    backup: 'a restore from a backup (--from-backup)',
    time: 'a restore as of a time (--to-time; --from-backup takes a backup)',
  },
  mode: ({ fromBackup }) => (fromBackup ? 'backup' : 'time'),
});
