import { command } from '../spec/command.js';
import { readRate } from '../spec/shared-options.js';
import { indexWord, tableWord } from '../spec/values.js';

export default command({
  words: 'check index',
  summary: 'what an index holds and leaves out, and which records it would make unwritable; before it is deployed, too',
  examples: ['check index orders orders_by_owner', 'check index orders orders_by_owner --stack dev --read-rate 100'],
  reach: 'store',
  args: { table: { type: tableWord }, index: { type: indexWord } },
  options: { readRate },
});
