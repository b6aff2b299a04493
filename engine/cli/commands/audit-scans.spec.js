import { command } from '../spec/command.js';
import { oneWordOf, onOff, path } from '../spec/values.js';

export default command({
  words: 'audit scans',
  summary: 'find Scan in TypeScript and JavaScript, with the access pattern to use instead',
  examples: ['audit scans src', 'audit scans src --format sarif --fail'],
  reach: 'nothing',
  args: { paths: { type: path, many: true } },
  options: {
    format: {
      type: oneWordOf(['text', 'json', 'sarif']),
      shown: 'format',
      help: 'how to print it: text (the usual), json or sarif',
      excludes: ['json'],
    },
    fail: { type: onOff, help: 'exit 1 if there is any, for CI' },
  },
});
