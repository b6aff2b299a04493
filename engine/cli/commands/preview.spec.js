import { command, option } from '../spec/command.js';
import { filePath } from '../spec/values.js';

export default command({
  words: 'preview',
  summary: 'say in words what a deployment of the stack would change; ends with 1 where data would be lost',
  examples: ['preview --stack dev --from preview.json', 'preview --stack dev --from preview.json --json'],
  reach: 'stack',
  options: {
    from: option({ type: filePath, help: "the output of 'pulumi preview --json' (default: run it)" }),
  },
});
