import { command } from '../spec/command.js';
import { pollMs, readRate, writeRate } from '../spec/shared-options.js';
import { filePath, name, onOff, percent, stackName, url } from '../spec/values.js';

export default command({
  words: 'refresh',
  summary: 'fill a test stack with a masked, consistent sample of another stack; never production; resumable',
  examples: [
    'refresh --from dev --to local --mask masks.yaml --share 5%',
    'refresh --from dev --to local --mask masks.yaml --share 20% --portable --again',
  ],
  reach: 'nothing',
  memory: 'steady',
  options: {
    from: { type: stackName, shown: 'stack', required: true, help: 'the stack that the sample is taken from' },
    to: { type: stackName, shown: 'stack', required: true, help: 'the stack that is filled' },
    mask: {
      type: filePath,
      required: true,
      help: 'the rules, with the subjects that the sample is a share of; the key is in TABLEWRIGHT_MASK_KEY',
    },
    share: { type: percent, required: true, help: 'how many of the subjects: 5%' },
    fromProfile: { type: name, shown: 'profile', help: 'AWS credentials for --from (default: the usual ones)' },
    toProfile: { type: name, shown: 'profile', help: 'AWS credentials for --to (default: the usual ones)' },
    fromEndpoint: { type: url, help: 'a DynamoDB-compatible server that has --from' },
    toEndpoint: { type: url, help: 'a DynamoDB-compatible server that has --to' },
    portable: { type: onOff, help: 'read the tables, even where point-in-time recovery could be exported' },
    readRate,
    rate: writeRate,
    again: { type: onOff, help: 'begin at the beginning, whatever was staged before' },
    pollMs,
  },
});
