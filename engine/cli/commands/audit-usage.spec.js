import { command } from '../spec/command.js';
import { onOff, path } from '../spec/values.js';

export default command({
  words: 'audit usage',
  summary: 'list the patterns and indexes that the code at these paths does not use',
  examples: ['audit usage src', 'audit usage src --fail'],
  reach: 'nothing',
  args: { paths: { type: path, many: true } },
  options: { fail: { type: onOff, help: 'exit 1 if there is any' } },
});
