import { command } from '../spec/command.js';
import { readingOptions } from '../spec/shared-options.js';
import { onOff, parameterWord, patternWord } from '../spec/values.js';

export default command({
  words: 'query',
  summary: 'run an access pattern and show its records',
  examples: ['query oms.trading.ordersOfClient clientId=client_123', 'query markets.orders.bestBids marketId=mkt123 n=3 --raw'],
  reach: 'store',
  args: { pattern: { type: patternWord }, parameters: { type: parameterWord, optional: true, many: true } },
  options: {
    ...readingOptions,
    raw: { type: onOff, help: 'records as they are stored, as JSON, instead of a table', excludes: ['json'] },
  },
});
