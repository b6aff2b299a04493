import { command } from '../spec/command.js';
import { count, name, text } from '../spec/values.js';

export default command({
  words: 'query',
  summary: 'run an access pattern: query oms.trading.ordersOfClient clientId=client_123',
  reach: 'store',
  args: { pattern: { type: name }, parameters: { type: text, optional: true, many: true } },
  options: { limit: { type: count, help: 'print at most so many records' } },
});
