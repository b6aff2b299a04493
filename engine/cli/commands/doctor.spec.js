import { command, option } from '../spec/command.js';
import { readRate } from '../spec/shared-options.js';
import { count, onOff } from '../spec/values.js';

export default command({
  words: 'doctor',
  summary: 'compare what the stack really has with the catalogue',
  examples: ['doctor', 'doctor --stack dev --hot-keys --sample 500'],
  reach: 'store',
  options: {
    hotKeys: { type: onOff, help: 'how items fall on the partition keys of the indexes, by a sample; reads items' },
    sample: option({ type: count, help: 'look at so many items of each table (default 2,000)', needs: 'hotKeys' }),
    readRate: { ...readRate, needs: 'hotKeys' },
    metric: { type: onOff, help: 'tell CloudWatch how many differences there are; the stack’s drift alarm watches it' },
  },
});
