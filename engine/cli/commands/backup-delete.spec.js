import { command } from '../spec/command.js';
import { yes } from '../spec/shared-options.js';
import { arn } from '../spec/values.js';

export default command({
  words: 'backup delete',
  summary: 'delete a backup',
  examples: [
    'backup delete arn:aws:dynamodb:us-east-1:123456789012:table/orders-dev/backup/01763112000000-1a2b3c4d --stack dev',
    'backup delete arn:aws:dynamodb:us-east-1:123456789012:table/orders-dev/backup/01763115600000-5e6f7a8b --stack dev --yes',
  ],
  reach: 'store',
  args: { arn: { type: arn } },
  options: { yes },
});
