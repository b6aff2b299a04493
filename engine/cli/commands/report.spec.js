import { command } from '../spec/command.js';
import { filePath, migrationWord } from '../spec/values.js';

export default command({
  words: 'report',
  summary: 'a page with throughput, units against budget, throttles, segments and counts',
  examples: ['report 0006-index-order-book', 'report 6 --out reports/order-book.html'],
  reach: 'store',
  args: { migration: { type: migrationWord } },
  options: { out: { type: filePath, help: 'where to write it (default: .tablewright/reports/<stack>-<migration>.html)' } },
});
