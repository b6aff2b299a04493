import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { repository } from '../support/run-cli.ts';
import { writeVariable } from './engines-page.ts';
import { endpointVariable } from './servers.ts';

/** `npm run conformance [-- --endpoint URL] [-- --write]`: the suite alone, with a name for every test. */
const { values } = parseArgs({ options: { endpoint: { type: 'string' }, write: { type: 'boolean', default: false } } });

const mocha = spawn(
  process.execPath,
  ['--import', 'tsx', 'node_modules/mocha/bin/mocha.js', '--reporter', 'spec', 'tests/conformance/*.test.ts'],
  {
    cwd: repository,
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(values.endpoint === undefined ? {} : { [endpointVariable]: values.endpoint }),
      ...(values.write ? { [writeVariable]: 'yes' } : {}),
    },
  },
);
mocha.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
