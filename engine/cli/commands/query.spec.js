import { command } from '../spec/command.js';
import { reading } from '../spec/shared-options.js';
import { name, text } from '../spec/values.js';

export default command({
  words: 'query',
  summary: 'run an access pattern: query oms.trading.ordersOfClient clientId=client_123',
  reach: 'store',
  args: { pattern: { type: name }, parameters: { type: text, optional: true, many: true } },
  options: reading,
});
