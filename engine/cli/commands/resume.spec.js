import { command } from '../spec/command.js';

export default command({ words: 'resume', summary: 'let a paused migrate go on', reach: 'store' });
