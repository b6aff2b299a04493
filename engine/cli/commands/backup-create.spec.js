import { command } from '../spec/command.js';
import { pollMs } from '../spec/shared-options.js';
import { tableName, tableWord } from '../spec/values.js';

export default command({
  words: 'backup create',
  summary: 'take an on-demand backup of a table and wait for it',
  examples: ['backup create orders --stack dev', 'backup create orders --name before-cut-over --stack dev'],
  reach: 'store',
  args: { table: { type: tableWord } },
  // DynamoDB API reference, CreateBackup: BackupName has the characters and lengths of a table's name.
  options: {
    name: {
      type: { ...tableName, expected: 'a backup name of 3 to 255 letters, digits, _, - and .' },
      help: 'the backup’s name (default: table and time)',
    },
    pollMs,
  },
});
