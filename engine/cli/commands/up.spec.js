import { command } from '../spec/command.js';
import { flag, port } from '../spec/values.js';

export default command({
  words: 'up',
  summary: 'local stack: create every table, load the fixtures, run the migrations, run every access pattern',
  reach: 'store',
  options: {
    keep: { type: flag, help: 'stay up afterwards and print the endpoints (Ctrl-C stops)' },
    port: {
      type: port,
      help: 'the port of the local DynamoDB engine (8000 with --keep, else any free one)',
      only: ['embedded'],
    },
    fresh: { type: flag, help: 'throw the local data away first', only: ['embedded'] },
  },
  modes: { embedded: 'an engine on this machine', endpoint: 'a server that --endpoint or the environment names' },
  mode: (_, { endpoint }) => (endpoint === undefined ? 'embedded' : 'endpoint'),
});
