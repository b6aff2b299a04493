import { command } from '../spec/command.js';

export default command({ words: 'doctor', summary: 'compare what the stack really has with the catalogue', reach: 'store' });
