import { command, option } from '../spec/command.js';
import { filePath } from '../spec/values.js';

export default command({
  words: 'bundle',
  summary:
    'make the zip of the functions of a stack’s schedules and runner: this project, its migrations and the toolkit in one file',
  examples: ['bundle', 'bundle --to build/jobs.zip'],
  reach: 'nothing',
  options: {
    to: option({ type: filePath, help: 'where it goes (default: tablewright.zip in the project)' }),
  },
});
