import { dynamoClient } from '../../engine/aws/clients.ts';
import { loadFixtures } from '../../engine/cli/seed/load-fixtures.ts';
import { project } from './project.ts';
import { repository } from './run-cli.ts';
import { stackOn } from './stack-on.ts';
import { testConfig } from './test-engine.ts';

const [, , endpoint = ''] = process.argv;
const stack = stackOn(endpoint, testConfig, (maxAttempts) =>
  dynamoClient({ region: testConfig.region, endpoint, ...(maxAttempts === undefined ? {} : { maxAttempts }) }),
);
await loadFixtures({ root: repository, project, signal: new AbortController().signal }, stack, ['legacy']);
await stack.close();
