import { dynamoClient } from '../../engine/aws/clients.ts';
import { Patience } from '../../engine/aws/patience.ts';
import { dynamoStore } from '../../engine/aws/store/dynamo-store.ts';
import { sleep } from '../../engine/cli/read-environment.ts';
import { loadFixtures } from '../../engine/cli/seed/load-fixtures.ts';
import { sha256 } from '../../engine/local/sha256.ts';
import { unlimitedGates } from '../../engine/run/capacity/capacity-gate.ts';
import { tables as catalogue } from '../../tables/tables.ts';
import { repository } from './run-cli.ts';
import { testConfig } from './test-engine.ts';

const [, , endpoint] = process.argv;
const client = dynamoClient({ region: testConfig.region, endpoint });
const store = dynamoStore(client);
const stack = {
  name: 'local',
  config: testConfig,
  tables: catalogue,
  endpoint,
  engine: undefined,
  client,
  store,
  patience: new Patience(new AbortController().signal),
  read: {
    store,
    tables: catalogue,
    names: testConfig,
    gates: unlimitedGates(),
    writeGates: unlimitedGates(),
    sleep,
    random: Math.random,
    digest: sha256,
  },
  lacks: () => Promise.resolve(undefined),
  s3: () => Promise.reject(new Error('no S3 is needed here')),
  bulkClient: () => dynamoClient({ region: testConfig.region, endpoint, maxAttempts: 1 }),
  close: () => Promise.resolve(),
};
await loadFixtures({ root: repository, signal: new AbortController().signal }, stack, ['legacy']);
client.destroy();
