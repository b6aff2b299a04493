import { command } from '../spec/command.js';
import { oneWordOf } from '../spec/values.js';

export default command({
  words: 'completion',
  summary: 'print what makes a shell complete commands, options and the names of the project',
  examples: ['completion bash', 'completion fish'],
  reach: 'nothing',
  withoutProject: true,
  args: { shell: { type: oneWordOf(['bash', 'zsh', 'fish']) } },
});
