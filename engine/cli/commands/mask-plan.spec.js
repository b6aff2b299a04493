import { command } from '../spec/command.js';
import { readRate } from '../spec/shared-options.js';
import { count, filePath, tableWord } from '../spec/values.js';

export default command({
  words: 'mask plan',
  summary: 'show on a sample what a rules file would mask, attribute by attribute, and everything that it leaves',
  examples: ['mask plan masks.yaml', 'mask plan masks.yaml --table oms_config --sample 50'],
  reach: 'store',
  args: { file: { type: filePath } },
  options: {
    table: { type: tableWord, shown: 'table', many: true, help: 'only these tables (default: all of the stack)' },
    sample: { type: count, default: 500, help: 'records to look at in each table' },
    rate: readRate,
  },
});
