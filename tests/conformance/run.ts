import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { failureText } from '../../engine/cli/failure.js';
import { TablewrightError } from '../../tables/model/error.ts';
import { repository } from '../support/run-cli.ts';
import { checkEndpoint } from './check-endpoint.ts';
import { writeVariable } from './engines-page.ts';
import { endpointVariable } from './servers.ts';

/** `npm run conformance [-- --endpoint URL] [-- --write]`: the suite alone, with a name for every test. */
const options = { endpoint: { type: 'string' }, write: { type: 'boolean', default: false } } as const;

try {
  const { values } = parseArgs({ options });
  if (values.endpoint !== undefined) await checkEndpoint(values.endpoint);
  run({
    ...(values.endpoint === undefined ? {} : { [endpointVariable]: values.endpoint }),
    ...(values.write ? { [writeVariable]: 'yes' } : {}),
  });
} catch (error) {
  const known = error instanceof TablewrightError;
  const { message, next = 'It takes --endpoint URL and --write.' } = error as Error & { readonly next?: string };
  const [summary = '', ...problems] = message.split('\n').map((line) => line.replace(/^ {2}- /, ''));
  process.stderr.write(`${failureText({ code: known ? error.code : 'BAD_ARGUMENT', summary, problems, next })}\n`);
  process.exitCode = known ? error.exitCode : 2;
}

function run(variables: Readonly<Record<string, string>>): void {
  const mocha = spawn(
    process.execPath,
    ['--import', 'tsx', 'node_modules/mocha/bin/mocha.js', '--reporter', 'spec', 'tests/conformance/*.test.ts'],
    { cwd: repository, stdio: 'inherit', env: { ...process.env, ...variables } },
  );
  mocha.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
