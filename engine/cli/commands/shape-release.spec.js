import { command } from '../spec/command.js';

export default command({
  words: 'shape release',
  summary: 'record the catalogue as deployed everywhere, and empty the list of allowed changes; run it after a deployment',
  examples: ['shape release', 'shape release --json'],
  reach: 'nothing',
});
