import { command } from '../spec/command.js';
import { onOff, port } from '../spec/values.js';

export default command({
  words: 'up',
  summary: 'local stack: create every table, load the fixtures, run the migrations, run every access pattern',
  examples: ['up', 'up --fresh --quiet'],
  reach: 'store',
  options: {
    keep: { type: onOff, help: 'stay up afterwards with a console, and print the endpoints (Ctrl-C stops)', only: ['embedded'] },
    noOpen: { type: onOff, help: 'with --keep: open no browser', needs: 'keep', only: ['embedded'] },
    port: {
      type: port,
      help: 'the port of the local DynamoDB engine (with --keep 8000 if it is free, else any free one)',
      only: ['embedded'],
    },
    fresh: { type: onOff, help: 'throw the local data away first; with --endpoint that server’s tables of the stack' },
    yes: { type: onOff, help: 'with --endpoint: do not ask before --fresh deletes tables', needs: 'fresh', only: ['endpoint'] },
  },
  modes: { embedded: 'an engine on this machine', endpoint: 'a server that --endpoint or the environment names' },
  mode: (_, { endpoint }) => (endpoint === undefined ? 'embedded' : 'endpoint'),
});
