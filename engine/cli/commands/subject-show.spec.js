import { command } from '../spec/command.js';
import { readRate } from '../spec/shared-options.js';
import { anyText, name } from '../spec/values.js';

export default command({
  words: 'subject show',
  summary: 'list all records of one person over all tables, and those that mention the person',
  examples: ['subject show client_123', 'subject show client_123 --by client_id --json'],
  reach: 'store',
  args: { id: { type: anyText } },
  options: {
    by: { type: name, shown: 'attribute', help: 'only records that have the ID in this attribute' },
    rate: readRate,
  },
});
