import { command, option } from '../spec/command.js';
import { readRate } from '../spec/shared-options.js';
import { count, filePath, name, tableName } from '../spec/values.js';

/** @type {import('../spec/command-spec.ts').Value<string>} */
const region = {
  shown: 'region',
  expected: 'a region such as us-east-1',
  read: (given) => (/^[a-z]{2}(-[a-z]+)+-\d$/.test(given) ? given : undefined),
};

export default command({
  words: 'table from-aws',
  summary: 'write a first definition of a table that is there, from what it is and a sample of its items',
  examples: [
    'table from-aws orders-dev --out drafts/orders.ts',
    'table from-aws orders-dev --stack dev --sample 100 --out drafts/orders-again.ts',
  ],
  reach: 'store',
  args: { name: { type: tableName } },
  options: {
    region: option({ type: region, help: 'a table of this region, in no stack', excludes: ['stack'] }),
    sample: option({ type: count, help: 'look at so many items (default 500; never more than 1,000 read units)' }),
    readRate,
    system: option({ type: name, help: 'the system that it belongs to (default: its tag Service or System, else its name)' }),
    out: option({ type: filePath, help: 'the file to write (default: tables/NAME.ts)' }),
  },
});
