import { command } from '../spec/command.js';
import { filePath, name } from '../spec/values.js';

export default command({
  words: 'report',
  summary: 'a page with throughput, units against budget, throttles, segments and counts',
  reach: 'store',
  args: { migration: { type: name } },
  options: { out: { type: filePath, help: 'where to write it (default: .tablewright/reports/<stack>-<migration>.html)' } },
});
