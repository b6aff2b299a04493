import { command } from '../spec/command.js';
import { readingOptions } from '../spec/shared-options.js';
import { parameterWord, patternWord } from '../spec/values.js';

export default command({
  words: 'explain',
  summary: 'the request that a pattern makes, its index, its expected read units, and why it is a Scan or none',
  examples: ['explain oms.trading.ordersOfClient clientId=client_123', 'explain markets.orders.byOwner owner=ana --way scan'],
  reach: 'store',
  args: { pattern: { type: patternWord }, parameters: { type: parameterWord, optional: true, many: true } },
  options: readingOptions,
});
