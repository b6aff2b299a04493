import { command } from '../spec/command.js';
import { onOff, port } from '../spec/values.js';

export default command({
  words: 'console',
  summary: 'look at the stack in a browser: tables, items, patterns, migrations while they run (Ctrl-C stops)',
  examples: ['console', 'console --stack dev --port 4400 --no-open'],
  reach: 'store',
  options: {
    port: { type: port, help: 'the port of the console on 127.0.0.1 (any free one when left out)' },
    allowWrites: { type: onOff, help: 'on a production stack: let it pause and resume runs, after the stack’s name was typed' },
    noOpen: { type: onOff, help: 'print the link only, open no browser' },
  },
});
