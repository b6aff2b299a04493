import { command } from '../spec/command.js';
import { patternWord } from '../spec/values.js';

export default command({
  words: 'patterns',
  summary: 'list the access patterns, all or those whose name begins so',
  examples: ['patterns', 'patterns markets.orders --json'],
  reach: 'nothing',
  args: { prefix: { type: patternWord, optional: true } },
});
