import { command } from '../spec/command.js';
import { readingOptions } from '../spec/shared-options.js';
import { anyText, name } from '../spec/values.js';

export default command({
  words: 'query',
  summary: 'run an access pattern: query oms.trading.ordersOfClient clientId=client_123',
  reach: 'store',
  args: { pattern: { type: name }, parameters: { type: anyText, optional: true, many: true } },
  options: readingOptions,
});
