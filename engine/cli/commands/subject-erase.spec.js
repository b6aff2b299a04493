import { command } from '../spec/command.js';
import { readRate, writeRate, yes } from '../spec/shared-options.js';
import { anyText, name } from '../spec/values.js';

export default command({
  words: 'subject erase',
  summary: 'remove all records of one person from all tables, and keep how many they were',
  examples: ['subject erase client_9 --by client_id --yes', 'subject erase client_10 --by client_id --stack dev --yes'],
  reach: 'store',
  args: { id: { type: anyText } },
  options: {
    by: { type: name, shown: 'attribute', help: 'only records that have the ID in this attribute' },
    rate: writeRate,
    readRate,
    yes: { ...yes, help: 'do not ask' },
  },
});
