import { main } from './main.js';
import { thisProcess } from './this-process.js';

process.exitCode = await main(process.argv.slice(2), thisProcess());
