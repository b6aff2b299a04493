import { command, option } from '../spec/command.js';
import { readRate } from '../spec/shared-options.js';
import { count, tableWord } from '../spec/values.js';

export default command({
  words: 'advise indexes',
  summary: 'which indexes could stand on natural attributes, what that saves, and why others cannot',
  examples: ['advise indexes', 'advise indexes --table orders --sample 50'],
  reach: 'store',
  options: {
    table: option({ type: tableWord, help: 'of this table only' }),
    sample: option({ type: count, help: 'measure so many records of each table (default 200)' }),
    readRate,
  },
});
