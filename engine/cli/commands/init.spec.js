import { command, option } from '../spec/command.js';
import { name } from '../spec/values.js';

export default command({
  words: 'init',
  summary: 'begin a project here: its file, an example table with seed and test, stack files, scripts',
  examples: ['init', 'init --name shop'],
  reach: 'nothing',
  withoutProject: true,
  options: { name: option({ type: name, help: 'the name of the project (default: that of package.json, else of the folder)' }) },
});
