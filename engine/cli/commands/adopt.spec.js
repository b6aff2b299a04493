import { command, option } from '../spec/command.js';
import { filePath, name } from '../spec/values.js';

export default command({
  words: 'adopt',
  summary: 'take over tables that exist: what would change, and the file for pulumi import',
  examples: ['adopt --stack dev', 'adopt --stack dev --retained oms-trading-dev oms-config-dev --to adopt.json'],
  reach: 'store',
  options: {
    to: option({ type: filePath, help: 'where the import file goes (default: adopt-<stack>.json in the project)' }),
    retained: option({
      type: name,
      shown: 'stack',
      many: true,
      help: 'CloudFormation stacks that leave their tables behind, where their templates cannot be asked',
    }),
  },
});
