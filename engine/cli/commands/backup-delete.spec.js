import { command } from '../spec/command.js';
import { yes } from '../spec/shared-options.js';
import { arn } from '../spec/values.js';

export default command({
  words: 'backup delete',
  summary: 'delete a backup',
  reach: 'store',
  args: { arn: { type: arn } },
  options: { yes },
});
